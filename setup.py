"""All is in setup.cfg; but editable installs have its data files here as well, and the page of a
package index, which has no files beside it, gets the README without links to these."""

import re
from pathlib import Path

from setuptools import Distribution, setup

# The name under which setuptools' editable_wheel asks.
Distribution.has_data = Distribution.has_data_files
README = (Path(__file__).parent / "README.md").read_text("utf-8")
setup(
    long_description=re.sub(r"\[([^]]+)\]\((?!https?:)[^)]+\)", r"\1", README),
    long_description_content_type="text/markdown",
)
