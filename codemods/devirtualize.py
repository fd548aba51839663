"""Put `if`, `while` and `for` back where virtualize has made calls of them.

    bowler run codemods/devirtualize.py ./repo               review each hunk
    bowler run codemods/devirtualize.py ./repo --write       accept them all
    bowler run codemods/devirtualize.py ./repo --diff        print a patch
    bowler run codemods/devirtualize.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/devirtualize.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("devirtualize")


if __name__ == "__main__":
    main()
