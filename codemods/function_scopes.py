"""Put the function's name in front of the names of the operations that it makes in a graph.

    bowler run codemods/function_scopes.py ./repo               review each hunk
    bowler run codemods/function_scopes.py ./repo --write       accept them all
    bowler run codemods/function_scopes.py ./repo --diff        print a patch

The rules, with their reasons and examples, are in patterns/packs/function-scopes.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("function_scopes")


if __name__ == "__main__":
    main()
