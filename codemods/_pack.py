"""What ``bowler run my-pack.yaml PATH`` runs: the pack that its first argument names."""

import sys

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod(sys.argv.pop(1))


if __name__ == "__main__":
    main()
