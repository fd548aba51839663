"""Distribute programs that train with fit() of Keras and with tf.GradientTape, with Horovod.

    bowler run codemods/tf2_keras_and_tape.py ./repo               review each hunk
    bowler run codemods/tf2_keras_and_tape.py ./repo --write       accept them all
    bowler run codemods/tf2_keras_and_tape.py ./repo --diff        print a patch
    bowler run codemods/tf2_keras_and_tape.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/tf2-keras-and-tape.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("tf2-keras-and-tape")


if __name__ == "__main__":
    main()
