"""Write the facts of an installed library as JSON, drawn from the library itself.

Usage: ``python generate.py [tensorflow | keras | horovod] [--out FILE]`` in this folder, with a
Python (3.7 or later) that has the library: TensorFlow 1.15 or 2.15, Keras 2.3, Horovod.

What a class is, what it is derived from and under how many names it can be imported is read off the
live objects. What a call returns is read off annotations, and where there are none, or where they
say less than what comes back, the call is made. What a call does besides is read off the sources.
Two runs on one installation write the same bytes.

The work is done in the folder ``generation``, which is no package: it runs where Pinsetter is not
installed.
"""

from __future__ import annotations

import runpy
from pathlib import Path

if __name__ == "__main__":
    runpy.run_path(str(Path(__file__).resolve().with_name("generation")), run_name="__main__")
