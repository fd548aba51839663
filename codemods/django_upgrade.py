"""Bring code of earlier Djangos to what today's has; --option django42 says what it needs at least.

    bowler run codemods/django_upgrade.py ./repo               review each hunk
    bowler run codemods/django_upgrade.py ./repo --write       accept them all
    bowler run codemods/django_upgrade.py ./repo --diff        print a patch
    bowler run codemods/django_upgrade.py ./repo --check       exit 1 if anything is proposed

The rules, with their reasons and examples, are in patterns/packs/django-upgrade.yaml.
"""

from pinsetter.codemods.engine.cli import run_codemod


def main() -> None:
    run_codemod("django-upgrade")


if __name__ == "__main__":
    main()
