"""Call a function instead of `assert`, so that a tensor can be asked.

    bowler run codemods/lower_asserts.py ./repo               review each hunk
    bowler run codemods/lower_asserts.py ./repo --write       accept them all
    bowler run codemods/lower_asserts.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/lower-asserts.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lower_asserts")


if __name__ == "__main__":
    main()
