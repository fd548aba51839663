"""Distribute TensorFlow 2 programs that train with Keras, with Horovod.

    bowler run codemods/tf2_keras.py ./repo               review each hunk
    bowler run codemods/tf2_keras.py ./repo --write       accept them all
    bowler run codemods/tf2_keras.py ./repo --diff        print a patch
    bowler run codemods/tf2_keras.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/tf2-keras.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("tf2-keras")


if __name__ == "__main__":
    main()
