"""Bind a name anew where an item is set, so that it can be a tensor.

    bowler run codemods/lower_slices.py ./repo               review each hunk
    bowler run codemods/lower_slices.py ./repo --write       accept them all
    bowler run codemods/lower_slices.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/lower-slices.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_slices")


if __name__ == "__main__":
    main()
