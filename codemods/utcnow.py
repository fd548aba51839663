"""Ask datetime for a time in UTC as Python 3.12 wants it.

    bowler run codemods/utcnow.py ./repo               review each hunk
    bowler run codemods/utcnow.py ./repo --write       accept them all
    bowler run codemods/utcnow.py ./repo --diff        print a patch
    bowler run codemods/utcnow.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/utcnow.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("utcnow")


if __name__ == "__main__":
    main()
