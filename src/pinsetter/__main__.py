"""``python -m pinsetter``."""

from pinsetter.codemods.engine import main

main()
