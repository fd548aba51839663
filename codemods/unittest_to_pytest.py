"""Turn the assertions of unittest.TestCase into plain asserts, for pytest.

    bowler run codemods/unittest_to_pytest.py ./repo               review each hunk
    bowler run codemods/unittest_to_pytest.py ./repo --write       accept them all
    bowler run codemods/unittest_to_pytest.py ./repo --diff        print a patch
    bowler run codemods/unittest_to_pytest.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/unittest-to-pytest.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("unittest-to-pytest")


if __name__ == "__main__":
    main()
