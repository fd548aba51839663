"""Ask what is called when it is called, so that it can be converted.

    bowler run codemods/lower_calls.py ./repo               review each hunk
    bowler run codemods/lower_calls.py ./repo --write       accept them all
    bowler run codemods/lower_calls.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/lower-calls.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_calls")


if __name__ == "__main__":
    main()
