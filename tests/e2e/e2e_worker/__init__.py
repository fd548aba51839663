"""What launcher.py puts around a program under test; runs inside the TensorFlow environment.

The package has a long name on purpose: it shares sys.modules with programs that have modules of
their own called `data`, `seeds` or `stubs`.
"""
