"""All is in setup.cfg; this lets editable installs have its data files as well."""

from setuptools import Distribution, setup

# The name under which setuptools' editable_wheel asks.
Distribution.has_data = Distribution.has_data_files
setup()
