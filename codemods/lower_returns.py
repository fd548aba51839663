"""A flag instead of each `return` that stands on the way.

    bowler run codemods/lower_returns.py ./repo               review each hunk
    bowler run codemods/lower_returns.py ./repo --write       accept them all
    bowler run codemods/lower_returns.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/lower-returns.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_returns")


if __name__ == "__main__":
    main()
