"""Use httpx instead of requests, with what requests does by default written out.

    bowler run codemods/requests_to_httpx.py ./repo               review each hunk
    bowler run codemods/requests_to_httpx.py ./repo --write       accept them all
    bowler run codemods/requests_to_httpx.py ./repo --diff        print a patch
    bowler run codemods/requests_to_httpx.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/requests-to-httpx.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("requests-to-httpx")


if __name__ == "__main__":
    main()
