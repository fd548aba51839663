"""Distribute TensorFlow 1 programs that run their training steps in a session, with Horovod.

    bowler run codemods/tf1_session.py ./repo               review each hunk
    bowler run codemods/tf1_session.py ./repo --write       accept them all
    bowler run codemods/tf1_session.py ./repo --diff        print a patch
    bowler run codemods/tf1_session.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/tf1-session.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("tf1-session")


if __name__ == "__main__":
    main()
