"""Distribute TensorFlow programs with Horovod, whichever of the five training APIs each uses.

    bowler run codemods/distribute.py ./repo               review each hunk
    bowler run codemods/distribute.py ./repo --write       accept them all
    bowler run codemods/distribute.py ./repo --diff        print a patch
    bowler run codemods/distribute.py ./repo --check       exit 1 if anything is proposed

The analyzer tells how each program trains; one in which two of the ways cannot stand together, as a
session's graph beside a tape, is refused with the places. The packs are listed in
patterns/packs/choices/distribute.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("distribute")


if __name__ == "__main__":
    main()
