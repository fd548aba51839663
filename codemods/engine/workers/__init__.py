"""Where the work of a run is done: in this process, in others of this machine, or on a cluster."""
