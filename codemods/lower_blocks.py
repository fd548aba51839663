"""Call functions instead of `if`, `while` and `for`, which say what their blocks change.

    bowler run codemods/lower_blocks.py ./repo               review each hunk
    bowler run codemods/lower_blocks.py ./repo --write       accept them all
    bowler run codemods/lower_blocks.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/lower-blocks.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_blocks")


if __name__ == "__main__":
    main()
