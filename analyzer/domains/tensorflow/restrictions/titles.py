"""TITLES: the restrictions by their codes."""

TITLES = {
    "R01": "All import statements are placed at the top of a module",
    "R02": "The tensorflow module is assigned to a variable only by an import",
    "R03": "Members of the tensorflow module are not aliased",
    "R04": "Calls of print introduce no side effects",
    "R05": "A dataset or optimizer is created once, by an assignment, and not aliased",
    "R06": "Variables of a dataset or optimizer are not reassigned to anything else",
    "R07": "A dataset or optimizer is not created conditionally",
    "R08": "apply_gradients is called as a statement or as the right side of an assignment",
    "R09": "Global optimizers are defined before the functions that use them, and not changed",
    "R10": "A checkpoint is created once, by an assignment, and not aliased",
}
