"""Call functions instead of `if`, `while` and `for`, so that control flow can be staged.

    bowler run codemods/virtualize.py ./repo               review each hunk
    bowler run codemods/virtualize.py ./repo --write       accept them all
    bowler run codemods/virtualize.py ./repo --diff        print a patch
    bowler run codemods/virtualize.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/virtualize.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("virtualize")


if __name__ == "__main__":
    main()
