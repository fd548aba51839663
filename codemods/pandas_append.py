"""Bring code for pandas 1 to pandas 2: pd.concat for append, and what else has gone.

    bowler run codemods/pandas_append.py ./repo               review each hunk
    bowler run codemods/pandas_append.py ./repo --write       accept them all
    bowler run codemods/pandas_append.py ./repo --diff        print a patch
    bowler run codemods/pandas_append.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/pandas-append.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("pandas-append")


if __name__ == "__main__":
    main()
