"""What a rule makes of the places where it fits: edits, reasons, comments kept."""
