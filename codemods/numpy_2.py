"""Bring code for NumPy 1 to NumPy 2: names that the main namespace has no more.

    bowler run codemods/numpy_2.py ./repo               review each hunk
    bowler run codemods/numpy_2.py ./repo --write       accept them all
    bowler run codemods/numpy_2.py ./repo --diff        print a patch
    bowler run codemods/numpy_2.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/numpy-2.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("numpy-2")


if __name__ == "__main__":
    main()
