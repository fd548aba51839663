"""Let tensors decide: functions as AutoGraph makes them, in functional form, written into the file.

    bowler run codemods/autograph.py ./repo               review each hunk
    bowler run codemods/autograph.py ./repo --write       accept them all
    bowler run codemods/autograph.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/autograph.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("autograph")


if __name__ == "__main__":
    main()
