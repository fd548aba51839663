"""A flag instead of each `continue` that stands on the way.

    bowler run codemods/lower_continues.py ./repo               review each hunk
    bowler run codemods/lower_continues.py ./repo --write       accept them all
    bowler run codemods/lower_continues.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/lower-continues.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_continues")


if __name__ == "__main__":
    main()
