"""Distribute programs that train an Estimator, of TensorFlow 1 or 2, with Horovod.

    bowler run codemods/tf1_estimator.py ./repo               review each hunk
    bowler run codemods/tf1_estimator.py ./repo --write       accept them all
    bowler run codemods/tf1_estimator.py ./repo --diff        print a patch
    bowler run codemods/tf1_estimator.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/tf1-estimator.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("tf1-estimator")


if __name__ == "__main__":
    main()
