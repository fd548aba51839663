"""Bring code of Python 2 and early Python 3 to what Python has today.

    bowler run codemods/pyupgrade.py ./repo               review each hunk
    bowler run codemods/pyupgrade.py ./repo --write       accept them all
    bowler run codemods/pyupgrade.py ./repo --diff        print a patch
    bowler run codemods/pyupgrade.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/pyupgrade.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("pyupgrade")


if __name__ == "__main__":
    main()
