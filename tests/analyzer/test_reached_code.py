"""What of its modules a program may run, by the names that its code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.programs import reached_code

LIBRARY = """\
import base
def train():
    'mark'
def helper():
    train()
class Trainer(base.Model):
    def __init__(self):
        train()
    def call(self):
        train()
class Plain:
    def step(self):
        train()
class Hooked(base.Model):
    def call(self):
        train()
"""


def runs(path: Path, entry: str, library: str = LIBRARY, **more: str) -> bool:
    """Whether a program may run the function ``train`` of a library."""
    files = {"main": entry, "library": library, "between": "import library\n", **more}
    for name, text in files.items():
        file = path / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    facts = Facts(Project(sorted(path.rglob("*.py"))))
    program = next(p for p in facts.programs.all if p.entry.path.stem == "main")
    module = next(m for m in program.modules if m.path.stem == "library")
    return program.may_run(module, library.index("'mark'"))


@pytest.mark.parametrize(
    "entry",
    [
        "import library\n",
        "import library\nlibrary.other()\n",
        "from library import train\n",
        "import library\n__all__ = ['train']\n",
        "import library\n'''It does not train().'''\n",
        "import library  # train()\n",
        "import library\nlibrary.Plain()\n",
        "from library import Plain as train_\nx = Plain\n",
        "import library\nprint('train')\n",
        "import library\ntrain = 3\nprint(train)\n",
        "import library\ndef f(train):\n    train()\nf(3)\n",
        "import library\nimport other\nother.train()\n",
        "import library\nx = other()\nx.train()\n",
        "import library\nx.step()\n",
        "import library\nf(train=3)\n",
        "import library\nvars(x)\nx.__dict__\n",
        "import library, torch\ngetattr(torch.optim, name)()\n",
        "import library\ngetattr(x, name)\n",
        "import library\ntar.getmembers()\n",
        "import library, sys\nsys.modules['x'] = None\n",
        "import library\nclass A:\n    eval: int = 3\n",
    ],
)
def test_what_is_not_run(tmp_path: Path, entry: str) -> None:
    assert not runs(tmp_path, entry)


@pytest.mark.parametrize(
    "entry",
    [
        "import library\nlibrary.train()\n",
        "import library\ndef f():\n    library.train()\n",
        "def f():\n    import library\n    library.train()\n",
        "from library import train as go\ngo()\n",
        "from between import library as lib\nlib.train()\n",
        "import between\nbetween.library.train()\n",
        "import library\nlibrary.helper()\n",
        "import library\ngetattr(library, 'train')()\n",
        "from builtins import getattr as get\nimport library\nget(library, name)()\n",
        "import library\nlist(map(partial(getattr, library), ['train']))\n",
        "import library\nlibrary.Trainer()\n",
        "import library\nlibrary.Hooked()\n",
        "import library\nclass A(library.Hooked):\n    pass\nA()\n",
        "import library\nclass A(library.Hooked):\n    def f(self):\n        pass\nA()\n",
        "import library\nlibrary.Plain().step()\n",
        "import library\nx = library.Plain()\nx.step()\n",
        "import library\nclass A(library.Plain):\n    def f(self):\n        self.step()\nA()\n",
        "import library\ngetattr(library.Plain(), name)()\n",
        "import library\nlibrary.Plain.__dict__[name](3)\n",
        "import library\nif __name__ == '__main__':\n    library.train()\n",
        "import library\nprint(f'{library.train()}')\n",
        "import library\nx = {'a': library.train}\n",
        "import library\ndef f(x=library.train):\n    x()\n",
        "import library\n@library.train\ndef f():\n    pass\n",
        "import library\nf(library)\nx.train()\n",
        "import library\nlibrary.__dict__[name]()\n",
        "from library import *\nlocals()[name]()\n",
        "import library\nexec(text)\n",
        "import library\nfrom importlib import import_module as load\nload(name).train()\n",
        "import importlib\nimportlib.import_module('library').train()\n",
        "import library, sys\nsys.modules[name].train()\n",
        "import library, sys\ngetattr(sys.modules[__name__], name).train()\n",
        "import library, runpy\nrunpy.run_path(name)\n",
        "import library, pickle\npickle.load(file).step()\n",
        "import library, joblib as store\nstore.load(file).step()\n",
        "import library\nobject.__subclasses__()[0]().call()\n",
        "import library, inspect\ninspect.getmembers(library)\n",
        "import library, operator\noperator.methodcaller(name)(library)\n",
        "import library, fire\nfire.Fire(library.train)\n",
        "import library, hydra\nhydra.utils.instantiate(x)\n",
    ],
)
def test_what_may_be_run(tmp_path: Path, entry: str) -> None:
    assert runs(tmp_path, entry)


WRAPS = """\
import functools
def keep(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args)
    return inner
def renamed(old):
    def keep(f):
        print(f.__name__, getattr(f, 'x', None))
        def inner(*args):
            return f(*args)
        inner.__doc__ = old
        return inner
    return keep
KNOWN = {}
def known(name):
    def keep(f):
        KNOWN[name] = f
        return f
    return keep
def called(f):
    f()
    return f
"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("train()\n", True),
        ("if __name__ == '__main__':\n    train()\n", False),
        ("@register\ndef other():\n    train()\n", True),
        ("@staticmethod\ndef other():\n    train()\n", False),
        ("@functools.lru_cache(maxsize=3)\ndef other():\n    train()\n", False),
        (f"{WRAPS}@keep\ndef other():\n    train()\n", False),
        (f"{WRAPS}@renamed('x')\ndef other():\n    train()\n", False),
        (f"{WRAPS}@known('x')\ndef other():\n    train()\n", True),
        (f"{WRAPS}@called\ndef other():\n    train()\n", True),
        (f"{WRAPS}@keep.command()\ndef other():\n    train()\n", True),
        ("@get()[0]\ndef other():\n    train()\n", True),
        ("@base.function\ndef other():\n    train()\n", False),
        ("TABLE = [train]\n", True),
        ("class Here:\n    made = train()\n", True),
        ("class Here:\n    def get(self):\n        train()\n    x = property(get)\n", True),
        ("@register\nclass Here:\n    def __init__(self):\n        train()\n", True),
        ("@dataclass\nclass Here:\n    def __post_init__(self):\n        train()\n", False),
        ("class Here(metaclass=Meta):\n    def f(self):\n        train()\n", True),
        ("class A:\n    def __init_subclass__(cls):\n        REG.add(cls)\n"
         "class B(A):\n    def __init__(self):\n        train()\n", True),
        ("class A:\n    def f(self):\n        train()\nclass B(A): pass\n", False),
        ("class A(base.Model): pass\nclass B(A):\n    def f(self):\n        train()\n"
         "class C(B): pass\nC()\n", True),
        ("def f(x: Trainer) -> Trainer:\n    pass\n", False),
    ],
)  # fmt: skip
def test_what_a_module_runs_when_it_is_imported(tmp_path: Path, more: str, expected: bool) -> None:
    assert runs(tmp_path, "import library\n", LIBRARY + more) is expected


LAZY = """\
import importlib
import library
TABLE = {'go': ('library', 'train'), 'help': ('library', 'helper')}
def __getattr__(name):
    home, there = TABLE[name]
    return getattr(importlib.import_module(home), there)
"""


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("import attached\nattached.go()\n", True),
        ("import lazy\nlazy.go()\n", True),
        ("from lazy import go\ngo()\n", True),
        ("import lazy\nlazy.train()\n", True),
        ("import lazy\nlazy.TABLE\n", False),
        ("import lazy\ngetattr(lazy, name)()\n", True),
    ],
)
def test_names_that_a_module_finds_when_it_is_asked(
    tmp_path: Path, entry: str, expected: bool
) -> None:
    attached = f"import lazy_loader\n{LAZY.partition('def')[0]}__getattr__ = lazy_loader.attach()\n"
    assert runs(tmp_path, entry, lazy=LAZY, attached=attached) is expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("import pack.library\npack.library.train()\n", True),
        ("import pack.library\npack.library.other()\n", False),
        ("from pack import library\nlibrary.train()\n", True),
        ("from pack.again import train\ntrain()\n", True),
        ("from pack.again import *\ntrain()\n", True),
        ("from pack.again import *\nhelp()\n", False),
        ("import pack.again as a\na.train()\n", True),
        ("from pack.circle import train\ntrain()\n", True),
    ],
)
@pytest.mark.parametrize("init", ["", None])
def test_packages(tmp_path: Path, entry: str, expected: bool, init: str | None) -> None:
    """With a file of their own, and without."""
    text = "def train():\n    'mark'\n"
    more = {
        "pack__again": "from .library import *\n",
        "pack__circle": "from .other import train\n",
        "pack__other": "from .circle import train\nfrom .library import train\n",
    }
    if init is not None:
        (tmp_path / "pack").mkdir()
        (tmp_path / "pack" / "__init__.py").write_text(init)
    for name, code in {"main": entry, "pack__library": text, **more}.items():
        file = tmp_path / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(code)
    facts = Facts(Project(sorted(tmp_path.rglob("*.py"))))
    program = next(p for p in facts.programs.all if p.entry.path.stem == "main")
    module = next(m for m in program.modules if m.path.stem == "library")
    assert program.may_run(module, text.index("'mark'")) is expected


TOOL = "import library\ndef main(_):\n    library.train()\ndef other():\n    library.train()\n"


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("print(3)", False),
        ("parser.parse_args()", False),
        ("main(3)", True),
        ("tf.app.run()", True),
        ("unittest.main()", True),
        ("run()", True),
    ],
)
def test_a_script_that_others_import(tmp_path: Path, guard: str, expected: bool) -> None:
    library = f"{LIBRARY}import tensorflow as tf\ndef fit():\n    tf.keras.Model().fit(1)\n"
    files = {"library": library, "other": "import tool\n",
             "tool": f"{TOOL}if __name__ == '__main__':\n    {guard}\n"}  # fmt: skip
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    facts = Facts(Project(sorted(tmp_path.rglob("*.py"))))
    programs = {p.entry.path.stem: p for p in facts.programs.all}
    module = next(m for m in programs["other"].modules if m.path.stem == "library")
    place = LIBRARY.index("'mark'")
    assert not programs["other"].may_run(module, place)
    assert programs["tool"].may_run(module, place) is expected


def test_a_long_chain_of_imports(tmp_path: Path) -> None:
    more = {f"m{n}": f"import m{n + 1}\ndef f():\n    return m{n + 1}\n" for n in range(400)}
    more["m400"] = "import library\ntrain = library.train\n"
    assert runs(tmp_path, "import m0\nf(m0)\nx.train()\nglobals()\n", **more)


@pytest.mark.parametrize("most", [1, 2, 16])
def test_what_others_load_is_forgotten_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(reached_code, "_MOST_LOADED", most)
    (tmp_path / "library.py").write_text(LIBRARY)
    for number in range(3):
        (tmp_path / f"more{number}.py").write_text("def train(): pass\n")
        for one, call in enumerate(("library.train()", "library.other()")):
            text = f"import library, more{number}\n{call}\nmore{number}.train()\n"
            (tmp_path / f"main{one}{number}.py").write_text(text)
    facts = Facts(Project(sorted(tmp_path.rglob("*.py"))))
    programs = {p.entry.path.stem: p for p in facts.programs.all}
    for stem in ("main00", "main10", "main01", "main11", "main02", "main12", "main00", "main10"):
        found = {
            module.path.stem: program.may_run(module, module.tree.text.index("def train") + 15)
            for program in [programs[stem]]
            for module in [*program.modules, *facts.project.given]
            if "def train" in module.tree.text
        }
        mine = f"more{stem[-1]}"
        assert found[mine]
        assert found["library"] == stem.startswith("main0")
        assert not any(ran for other, ran in found.items() if other not in (mine, "library"))


@pytest.mark.parametrize(
    ("said", "late"),
    [
        ("x.Inner().go()\n", "class A:\n    class Inner:\n        def go(self): 'mark'\n"),
        ("import pickle\npickle.loads(x).go()\n", "class A:\n    def go(self): 'mark'\n"),
        ("x.__subclasses__()\n", "class A:\n    def __init__(self): 'mark'\n"),
        ("from importlib import import_module\nimport_module(x).go()\n", "def go(): 'mark'\n"),
        ("import runpy\nrunpy.run_path(x)\n", "def go(): 'mark'\n"),
        ("import core1\ncore1.go()\n", "def go(): 'mark'\n"),
        ("getattr(x, y)()\n", "class A:\n    def go(self): 'mark'\nA()\n"),
        ("class Base:\n    def run(self, name):\n        getattr(self, name)()\nBase().run(x)\n",
         "import core0\nclass A(core0.Base):\n    def go(self): 'mark'\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["late", "main"])
def test_what_is_loaded_later_meets_what_was_said(
    tmp_path: Path, said: str, late: str, place: str
) -> None:
    """Of several programs, what all of them load is followed first; nothing is said of it then
    that does not mean what each of them has of its own."""
    core = [f"core{number}" for number in range(8)]
    for name in core:
        (tmp_path / f"{name}.py").write_text(said if name == "core0" else "x = 3\n")
    for number in range(3):
        text = f"import {', '.join(core)}, late{number}\n" + (late if place == "main" else "")
        (tmp_path / f"main{number}.py").write_text(text)
        (tmp_path / f"late{number}.py").write_text(late if place == "late" else "x = 3\n")
    facts = Facts(Project(sorted(tmp_path.rglob("*.py"))))
    programs = [p for p in facts.programs.all if p.entry.path.stem.startswith("main")]
    assert len(programs) == 3
    for number, program in enumerate(programs):
        module = next(m for m in program.modules if m.path.stem == f"{place}{number}")
        assert program.may_run(module, module.tree.text.index("'mark'")), number


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("import library\nlibrary.f()\n", False),
        ("import library, runpy\nrunpy.run_path(name)\n", True),
    ],
)
def test_what_only_a_script_does(tmp_path: Path, entry: str, expected: bool) -> None:
    guarded = "def f(): pass\nif __name__ == '__main__':\n    'mark'\nelse:\n    'other'\n"
    assert runs(tmp_path, entry, guarded) is expected
    facts = Facts(Project(sorted(tmp_path.rglob("*.py"))))
    programs = {p.entry.path.stem: p for p in facts.programs.all}
    module = next(m for m in programs["main"].modules if m.path.stem == "library")
    assert programs["main"].may_run(module, guarded.index("'other'"))
