"""A flag instead of each `break` that stands on the way.

    bowler run codemods/lower_breaks.py ./repo               review each hunk
    bowler run codemods/lower_breaks.py ./repo --write       accept them all
    bowler run codemods/lower_breaks.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/lower-breaks.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_breaks")


if __name__ == "__main__":
    main()
