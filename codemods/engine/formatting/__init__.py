"""Is a repository formatted by a tool? Then accepted lines are, too, by that tool."""
