"""The commands ``pinsetter campaign``: a migration over whole repositories, for weeks."""

from __future__ import annotations

import click

from .campaign_begin import forget_command, list_command, scan_command, start_command
from .campaign_pieces import edit_command, split_command
from .campaign_status import guard_command, status_command
from .campaign_work import apply_command, check_command, decide_command, review_command


@click.group("campaign")
def campaign_group() -> None:
    """A migration over whole repositories: its hunks in shards, reviewed, checked and applied as
    branches, while the code goes on changing."""


for _command in (
    apply_command, check_command, decide_command, edit_command, forget_command, guard_command,
    list_command, review_command, scan_command, split_command, start_command, status_command,
):  # fmt: skip
    campaign_group.add_command(_command)
