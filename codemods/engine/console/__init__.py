"""The process and its terminal: streams, signals, exit codes, the last word."""
