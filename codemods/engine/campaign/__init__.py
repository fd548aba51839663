"""What is done with a campaign: scanned, reviewed, checked, applied, told how it goes."""
