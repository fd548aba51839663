"""Hand the arguments of log messages to logging.

    bowler run codemods/lazy_logging.py ./repo               review each hunk
    bowler run codemods/lazy_logging.py ./repo --write       accept them all
    bowler run codemods/lazy_logging.py ./repo --diff        print a patch
    bowler run codemods/lazy_logging.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/lazy-logging.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("lazy-logging")


if __name__ == "__main__":
    main()
