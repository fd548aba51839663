"""Imports go where isort has them, and start code behind imports that do nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from snippets import load_text, pack_data, pack_of, rewritten

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.codemods.engine.authoring.examples import outcome_of
from pinsetter.codemods.engine.propose.planning import make_plan
from pinsetter.codemods.engine.running.pack_query import PackQuery
from pinsetter.patterns.edits.edit import apply
from pinsetter.patterns.matching.inert_modules import is_inert
from pinsetter.patterns.packs.pack import Pack

RULE = {"match": "use($x)", "edit": {"wrap": "$x", "with": "hvd.f($it)"}}
NEW = "import horovod.tensorflow as hvd\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import tensorflow as tf\n", f"{NEW}import tensorflow as tf\n"),
        ("import numpy as np\nimport tensorflow as tf\n",
         f"{NEW}import numpy as np\nimport tensorflow as tf\n"),
        ("import gast\nimport tensorflow as tf\nfrom tensorflow import keras\n",
         f"import gast\n{NEW}import tensorflow as tf\nfrom tensorflow import keras\n"),
        ("import os\n\nfrom tensorflow import keras\n",
         f"import os\n\n{NEW}from tensorflow import keras\n"),
        ("import os\nimport sys\nimport tensorflow as tf\n",
         f"import os\nimport sys\n{NEW}import tensorflow as tf\n"),
        ("'''Doc.'''\nimport tensorflow as tf\n\nimport zlib\n",
         f"'''Doc.'''\n{NEW}import tensorflow as tf\n\nimport zlib\n"),
        # Without one of the libraries: with other packages, or between Python's own modules and
        # the repository's.
        ("import os\n\nimport numpy as np\n\nfrom .a import b\n",
         f"import os\n\n{NEW}import numpy as np\n\nfrom .a import b\n"),
        ("'''Doc.'''\nimport os\n\nfrom .a import b\n",
         f"'''Doc.'''\nimport os\n\n{NEW}\nfrom .a import b\n"),
        ("import os\nimport zlib\n", f"import os\nimport zlib\n\n{NEW}"),
        # A comment stays with its import.
        ("import gast\n# why\nimport tensorflow as tf\n",
         f"import gast\n{NEW}# why\nimport tensorflow as tf\n"),
        ("# why\nimport tensorflow as tf\n", f"# why\nimport tensorflow as tf\n{NEW}"),
        # One that an empty line parts from it does not, nor does one that marks a cell.
        ("# License.\n\nimport numpy as np\nimport tensorflow as tf\n",
         f"# License.\n\n{NEW}import numpy as np\nimport tensorflow as tf\n"),
        ("# %%\nimport numpy as np\nimport tensorflow as tf\n\n# %%\nfrom a import b\n",
         f"# %%\n{NEW}import numpy as np\nimport tensorflow as tf\n\n# %%\nfrom a import b\n"),
        # Nor one that heads the imports.
        ("# Third Party\nimport numpy as np\nimport tensorflow as tf\n",
         f"# Third Party\n{NEW}import numpy as np\nimport tensorflow as tf\n"),
        ("# Third-party libraries we need\nimport tensorflow as tf\n",
         f"# Third-party libraries we need\nimport tensorflow as tf\n{NEW}"),
        # Nor what heads the file.
        ("#!/usr/bin/env python\nimport tensorflow as tf\n",
         f"#!/usr/bin/env python\n{NEW}import tensorflow as tf\n"),
        ("#\n# License.\n#\nimport numpy as np\nimport torch\n",
         f"#\n# License.\n#\n{NEW}import numpy as np\nimport torch\n"),
        ("import gast\n# why\n# it is\nimport tensorflow as tf\n",
         f"import gast\n{NEW}# why\n# it is\nimport tensorflow as tf\n"),
        ("'''Doc.'''\n# why\n# it is\nimport tensorflow as tf\n",
         f"'''Doc.'''\n# why\n# it is\nimport tensorflow as tf\n{NEW}"),
        # In no order that is known.
        ("import tensorflow as tf\nimport numpy as np\n",
         f"import tensorflow as tf\nimport numpy as np\n{NEW}"),
        ("from tensorflow import keras\nimport tensorflow as tf\n",
         f"from tensorflow import keras\nimport tensorflow as tf\n{NEW}"),
        ("from tensorflow import keras\nimport numpy as np\n\nfrom .a import b\n",
         f"from tensorflow import keras\nimport numpy as np\n{NEW}\nfrom .a import b\n"),
        ("import tensorflow as tf; import numpy as np\n",
         f"import tensorflow as tf; import numpy as np\n{NEW}"),
        # What stands between imports stays in front of those that follow.
        ("import os\nos.environ['A'] = 'b'\nimport tensorflow as tf\n",
         f"import os\nos.environ['A'] = 'b'\n{NEW}import tensorflow as tf\n"),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    pass\n",
         f"try:\n    import tensorflow as tf\nexcept ImportError:\n    pass\n{NEW}"),
    ],
)  # fmt: skip
def test_where_an_import_goes(before: str, after: str) -> None:
    assert rewritten(f"{before}use(1)\n", **RULE) == f"{after}use(hvd.f(1))\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import os\nimport tensorflow as tf\n",
         "import os\nimport sys\nimport tensorflow as tf\n"),
        ("import zlib\n\nimport tensorflow as tf\n",
         "import sys\nimport zlib\n\nimport tensorflow as tf\n"),
        ("import tensorflow as tf\n", "import sys\n\nimport tensorflow as tf\n"),
        ("from os import path\n\nimport tensorflow as tf\n",
         "import sys\nfrom os import path\n\nimport tensorflow as tf\n"),
        ("# why\nimport tensorflow as tf\n", "# why\nimport tensorflow as tf\nimport sys\n"),
        ("from __future__ import division\nimport tensorflow as tf\n",
         "from __future__ import division\nimport sys\n\nimport tensorflow as tf\n"),
    ],
)  # fmt: skip
def test_where_an_import_of_pythons_own_goes(before: str, after: str) -> None:
    data = pack_data(match="use($x)", edit={"wrap": "$x", "with": "sys.f($it)"})
    data["imports"] = {"tf": "tensorflow", "sys": "sys"}
    pack = load_text(yaml.safe_dump(data))
    assert isinstance(pack, Pack)
    made = outcome_of(pack, pack.rules[0], f"{before}use(1)\n").text
    assert made == f"{after}use(sys.f(1))\n"


@pytest.mark.parametrize(
    ("file", "own", "after"),
    [
        ("main.py", "own.py", f"import os\n\n{NEW}\nimport own\n"),
        ("a/main.py", "src/own/__init__.py", f"import os\n\n{NEW}\nimport own\n"),
        # For isort and ruff, which run in the repository's folder, this is another package.
        ("a/main.py", "a/own.py", f"import os\n\n{NEW}import own\n"),
    ],
)
def test_what_is_the_repository_s_own_to_other_tools(
    tmp_path: Path, file: str, own: str, after: str
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    for name, code in ((file, "import os\n\nimport own\nuse(1)\n"), (own, "def f(): pass\n")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code)
    pack = pack_of(**RULE)
    planned = make_plan([PackQuery(pack, [])], [tmp_path])
    ((module, hunks),) = planned.plan.by_module().items()
    made = apply(module.source.text, [edit for hunk in hunks for edit in hunk.edits])
    assert made == f"{after}use(hvd.f(1))\n"


START = {"query": "file_input< any* >", "edit": {"insert": "START", "place": "start"},
         "where": [{"not": {"present": {"code": "START", "in": "module"}}}]}  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import tensorflow as tf\nx = 1\n", "import tensorflow as tf\n\nSTART\nx = 1\n"),
        ("import tensorflow as tf\n\nx = 1\n", "import tensorflow as tf\n\nSTART\n\nx = 1\n"),
        ("import tensorflow as tf", "import tensorflow as tf\nSTART"),
        ("import tensorflow as tf\r\n", "import tensorflow as tf\r\n\r\nSTART\r\n"),
        ("import os\nimport zlib\nx = 1\n", "import os\nimport zlib\n\nSTART\nx = 1\n"),
        (
            "import tensorflow\nx = 1\nimport made\n",
            "import tensorflow\n\nSTART\nx = 1\nimport made\n",
        ),
    ],
)
def test_an_empty_line_is_between_imports_and_start_code(before: str, after: str) -> None:
    assert rewritten(before, **START) == after


@pytest.mark.parametrize(
    ("code", "inert"),
    [
        ("", True),
        ("'''Doc.'''\nimport tensorflow as tf\n\n\ndef f(x=1, y='a'):\n    print(x)\n", True),
        (
            "class A(tf.keras.Model):\n    '''Doc.'''\n    name = 'a'\n    def f(self): run()\n",
            True,
        ),
        ("import tensorflow as tf\nlayers = tf.keras.layers\nNAMES = ['a', 'b']\n", True),
        ("import tensorflow as tf\n@tf.function\ndef f(x): return x\n", True),
        ("import logging\nlogger = logging.getLogger(__name__)\n", True),
        ("def f(): pass\nif __name__ == '__main__':\n    f()\n    x = 3\n", True),
        ("import other\n", True),
        # What only computes, or reads.
        (
            "import tensorflow as tf\nv = tf.__version__.split('.')\na, b = int(v[0]), int(v[1])\n",
            True,
        ),
        (
            "import os\nHERE = os.path.join(os.getcwd(), 'a')\nif os.path.isfile(HERE):\n"
            "    with open(HERE) as f:\n        x = f.read()\n",
            True,
        ),
        ("import numpy as np\nMEAN = np.array([0.5, 0.5])\n", True),
        ("def f(a): return f(str(a))\nx = f('b')\n", True),
        ("NAMES = []\nNAMES.append('a')\nimport sys\nsys.path.insert(0, 'a')\n", True),
        ("NAMES = []\nNAMES.append('a')\nimport sys\nsys.path.append('a')\n", True),
        ("x = open('a', 'w')\n", False),
        ("def f(): print('a')\ndef g(): f()\nx = g()\n", False),
        ("import tensorflow as tf\ndef f(): return tf.zeros('a')\nx = f()\n", False),
        ("import numpy as np\nnp.random.seed(x)\n", True),
        ("with x: y = 'a'\n", False),
        # Numbers that are set before the start are divided where they are used.
        ("x = 1\n", True),
        ("class A:\n    rate = -0.1\n    sizes: tuple = (1, 2 * 3)\n", True),
        ("from easydict import EasyDict\nx = EasyDict()\nx.rate = 1\nx = y['a'] = 1\n", True),
        ("import sys\nif sys.version_info[0] < 3 or 2 * 3 > 4: x = -1\n", True),
        # Rules leave it alone.
        ("print('a')\n", True),
        ("for x in 'ab':\n    if x: print(x, 1)\n", True),
        # What runs, or may be rewritten.
        ("print(run())\n", False),
        ("import numpy as np\nnp.random.seed(run())\n", False),
        ("import tensorflow as tf\ntf.x.rate = 1\n", False),
        ("class A:\n    rate = run(0.1)\n", False),
        ("import tensorflow as tf\nx = tf.Variable('a')\n", False),
        ("import tensorflow as tf\ndef f(x=tf.ones('a')): pass\n", False),
        ("@register()\ndef f(): pass\n", False),
        (
            "def f(a):\n  def g(h):\n    def i(*j):\n      return h(*j)\n    return i\n  return g\n"
            "@f('b')\ndef k(): pass\n",
            True,
        ),
        (
            "def f(a):\n  def g(h):\n    def i(*j):\n      return h(*j)\n    return i()\n"
            "  return g\n@f('b')\ndef k(): pass\n",
            False,
        ),
        (
            "def f(a):\n  def g(h):\n    print(a)\n    return h\n  return g\n"
            "@f('b')\ndef k(): pass\n",
            False,
        ),
        # What is called is what a decorator made of it.
        ("def f(h):\n  def i(*j):\n    print(j)\n  return i\n@f\ndef k(): pass\nk()\n", False),
        ("import functools\n@functools.lru_cache\ndef k(): pass\nk()\n", True),
        ("import other\n@other.g()\ndef f(): pass\n", False),
        ("import tensorflow as tf\n@tf.keras.make(1)\ndef f(): pass\n", False),
        ("import functools\n@functools.lru_cache(maxsize=1)\ndef f(): run()\n", True),
        ("import tensorflow as tf\n@tf.function(jit_compile=True)\ndef f(): run()\n", True),
        (
            "import tensorflow as tf\n@tf.keras.utils.register_keras_serializable('a')\n"
            "class A: pass\n",
            True,
        ),
        ("import hydra\n@hydra.main(config_path='a')\ndef f(x): run()\n", True),
        ("import tensorflow as tf\ntf.get_logger().setLevel('ERROR')\n", True),
        (
            "import logging\nlog = logging.getLogger('a')\nhandler = logging.StreamHandler()\n"
            "handler.setFormatter(logging.Formatter('b'))\nlog.addHandler(handler)\n",
            True,
        ),
        ("import tensorflow as tf\ntf.compat.v1.logging.set_verbosity('ERROR')\n", True),
        ("import os\ndef f():\n    for x in os.listdir('a'):\n        y = x[0]\nf()\n", True),
        ("def f():\n    for x in 'ab':\n        print(x)\nf()\n", False),
        ("def f():\n    while True: pass\nf()\n", False),
        ("from unknown import g\nx = g()\n", False),
        # Of packages that have nothing to do with the library.
        ("import gym\nx = gym.make('a', 3).unwrapped.reset()\n", True),
        ("import gym\nx = gym.make(run())\n", False),
        ("import cv2\ncv2.ocl.setUseOpenCL(False)\n", True),
        ("import cv2\ncv2.imwrite('a', x)\n", False),
        ("import matplotlib\nmatplotlib.use('Agg')\n", True),
        ("import matplotlib.pyplot as plt\nplt.figure().savefig('a')\n", False),
        ("import joblib\nx = joblib.load('a')\n", True),
        ("import joblib\njoblib.dump(x, 'a')\n", False),
        ("import numba\n@numba.jit(nopython=True)\ndef f(): run()\n", True),
        ("import tensorflow_probability as tfp\nx = tfp.distributions.Normal(0, 1)\n", False),
        ("import io\nx = io.open('a', 'w')\n", False),
        ("import pprint\ndef f(): pprint.pprint('a')\nf()\n", False),
        ("from importlib.resources import files\nx = files('a').joinpath('b')\n", True),
        ("from pathlib import Path\nPath('a').joinpath('b').mkdir()\n", False),
        (
            "import click\n@click.group()\ndef f(): run()\n@f.command()\n"
            "@click.option('-a', type=click.Path())\ndef g(): run()\n",
            True,
        ),
        ("import click\n@click.group()\ndef f(): pass\nf()\n", False),
        # What is given to a library may be called there.
        ("import gym\ndef f(): run()\ngym.register('a', f)\n", False),
        ("import gym\ngym.register('a', lambda: run())\n", False),
        ("import gym\ngym.register('a', lambda: str(1))\n", True),
        ("def f(x): run()\nx = list(map(f, 'ab'))\n", False),
        ("def f(x): run()\nx = dict(f=f)\n", True),
        ("import functools\ndef f(x): run()\nx = functools.partial(f, 1)\n", True),
        # Settings of the library that touch no device.
        (
            "import tensorflow as tf\nfor x in tf.config.list_physical_devices('GPU'):\n"
            "    tf.config.experimental.set_memory_growth(x, True)\n",
            True,
        ),
        ("import tensorflow as tf\nx = tf.config.list_logical_devices('GPU')\n", False),
        ("import tensorflow as tf\ntf.compat.v1.disable_eager_execution()\n", True),
        ("import tensorflow as tf\ntf.app.flags.DEFINE_float('rate', 0.1, 'Rate.')\n", True),
        # Instances of its own classes.
        ("class A: pass\nx = A()\n", True),
        ("class A:\n    def __init__(self): self.x = 1\nx = A()\n", True),
        ("class A:\n    def __init__(self): run()\nx = A()\n", False),
        ("class A:\n    def __init__(self): run()\nclass B(A): pass\nx = B()\n", False),
        ("class M(type): pass\nclass A(metaclass=M): pass\nx = A()\n", False),
        ("import tensorflow as tf\nclass A(tf.Module): pass\nx = A()\n", False),
        ("from unknown import B\nclass A(B): pass\nx = A()\n", False),
        ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nx = A(1)\n", True),
        (
            "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n"
            "    def __post_init__(self): run()\nx = A(1)\n",
            False,
        ),
        ("from collections import namedtuple\nA = namedtuple('A', 'b c')\nx = A(1, c=2)\n", True),
        (
            "class A:\n    def __init__(self, n): self.n = n\n    def train(self, o):\n"
            "        for _ in range(self.n):\n            o.apply_gradients(x)\n"
            "        print(self.n)\nx = A(3)\n",
            False,
        ),
        # Decorators of its own.
        ("def f(g):\n    run()\n    return g\n@f\ndef h(): pass\n", False),
        ("def f(g):\n    g.x = 1\n    return g\n@f\ndef h(): run()\n", True),
        (
            "import functools\ndef f(g):\n    @functools.wraps(g)\n    def h(*a): return g(*a)\n"
            "    h.x = 1\n    return h\n@f\ndef k(): run()\n",
            True,
        ),
        (
            "def f(g):\n    def h(): run()\n    def i(*a): return h()\n    KEPT['a'] = i\n"
            "    return i\n@f\ndef k(): run()\n",
            True,
        ),
        ("def f(g):\n    def h(): run()\n    h()\n    return g\n@f\ndef k(): pass\n", False),
        ("def f():\n    def h(): run()\n    return h\nf()()\n", False),
        # What libraries give.
        ("import torch\ndef f(g): return torch.no_grad()(g)\n@f\ndef k(): run()\n", True),
        ("import yaml\ndef f(): return yaml.reader('a')\nx = f().load(f)\n", True),
        ("import yaml\ndef f(y): return yaml.reader('a') if y else y\nx = f(z).load(f)\n", False),
        ("import yaml\ndef f(): return yaml.reader('a')\nf().load(lambda: run())\n", False),
        (
            "import functools\nimport tensorflow as tf\nx = functools.partial(tf.zeros, 1)\n",
            True,
        ),
        (
            "import functools\nimport tensorflow as tf\nx = functools.partial(tf.zeros, 1)()\n",
            False,
        ),
        ("import functools\ndef f(): run()\nx = functools.partial(f, 1)()\n", False),
        ("import tensorflow as tf\nx = list(map(tf.Variable, [1, 2]))\n", False),
        ("import gym\nimport tensorflow as tf\ngym.register('a', tf.zeros)\n", False),
        (
            "import packaging.version as v\nimport tensorflow as tf\nx = v.parse(tf.__version__)\n",
            True,
        ),
        ("import gym\nclass A:\n    def __init__(self): run()\ngym.register('a', A)\n", False),
        ("x = {'a': 1}\ndef f(g, **h): return h.pop('a', g)\ny = f(run)\n", True),
        # A private method is the module's own.
        (
            "class A:\n    def __init__(self, b=None):\n        if b: b._add(self)\n"
            "    def _add(self, c): self.c = c\nx = A()\n",
            True,
        ),
        (
            "class A:\n    def __init__(self, b=None):\n        if b: b._add(self)\n"
            "    def _add(self, c): run()\nx = A()\n",
            False,
        ),
        ("def f(b): b._add(1)\nf(x)\n", False),
        # What functions import is imported when they are called.
        ("def f():\n    import running\n", True),
        ("def f():\n    import running\nf()\n", False),
        ("import os\nos.environ.update(a='b')\n", True),
        ("for x in run(): pass\n", False),
        ("import running\n", False),
    ],
)
def test_what_does_nothing_when_it_is_imported(tmp_path: Path, code: str, inert: bool) -> None:
    (tmp_path / "main.py").write_text(code)
    (tmp_path / "other.py").write_text("import main\ndef g(): run()\n")
    (tmp_path / "running.py").write_text("run()\n")
    project = Project([tmp_path])
    facts = Facts(project)
    module = next(m for m in project.given if m.path.name == "main.py")
    assert is_inert(module, facts) == inert
