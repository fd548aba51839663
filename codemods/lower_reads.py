"""Ask for names that may have no value yet.

    bowler run codemods/lower_reads.py ./repo               review each hunk
    bowler run codemods/lower_reads.py ./repo --write       accept them all
    bowler run codemods/lower_reads.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/lower-reads.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_reads")


if __name__ == "__main__":
    main()
