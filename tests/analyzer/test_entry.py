"""Why modules are entry scripts."""

from __future__ import annotations

import pytest
from repository import Repository, Write

FIT = "import tensorflow as tf\nmodel = tf.keras.Sequential([])\nmodel.fit(x)\n"


def because(repository: Repository) -> dict[str, str]:
    return {p.entry.name: p.because for p in repository.facts.programs.all}


def of_helper(write: Write, text: str) -> str | None:
    """Why a module is an entry that another one imports."""
    files = {"main.py": "import helper\n", "helper.py": text}
    return because(write(files)).get("helper")


# ---------------------------------------------------------------- no entries


@pytest.mark.parametrize(
    "text",
    [
        "",
        "from absl import app\n",
        "from absl import app\ndef main(_): pass\ndef start():\n    app.run(main)\n",
        "from absl import app\nrun = app.run\n",
        "from flask import Flask\napp = Flask(__name__)\napp.run()\n",
        "import app\napp.run()\n",
        "import fire\nfire.Fire\n",
        "import click\n@click.command()\ndef main(): pass\n",
        "import click\n@click.command()\ndef main(): pass\ndef f():\n    main()\n",
        "import click\n@click.option('--x')\ndef main(): pass\nmain()\n",
        "import typer\napp = typer.Typer()\n@app.command()\ndef main(): pass\n",
        "def main(): pass\nmain()\n",
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\n",
        "import argparse\nparser = argparse.ArgumentParser()\nparser.parse_args()\n",
        f"import argparse\nargs = argparse.ArgumentParser().parse_args()\ndef f():\n"
        f"    {FIT.replace(chr(10), chr(10) + '    ')}\n",
        f"import argparse\ndef f():\n    argparse.ArgumentParser().parse_args()\n{FIT}",
        f"parser.parse_args()\n{FIT}",
        "if __name__ == '__main__':\n    print(1)\n",
        "if __name__ != '__main__':\n    print(1)\n",
        "from sacred import Experiment\nex = Experiment()\n@ex.main\ndef main(): pass\n",
    ],
)
def test_imported_modules_that_are_no_entries(write: Write, text: str) -> None:
    assert of_helper(write, text) is None


def test_what_is_imported_for_types_only_is_not_reached(write: Write) -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import other\n"
    repository = write({"main.py": text, "other.py": ""})
    assert because(repository) == dict.fromkeys(("main", "other"), "no module imports it")
    assert [len(p.modules) for p in repository.facts.programs.all] == [1, 1]


def test_what_a_helper_imports_to_try_itself_out_is_not_reached(write: Write) -> None:
    helper = "if __name__ == '__main__':\n    import train\n"
    files = {"main.py": "import helper\n", "helper.py": helper, "train.py": FIT}
    programs = {p.entry.name: p for p in write(files).facts.programs.all}
    assert {module.name for module in programs["main"].modules} == {"main", "helper"}
    assert programs["main"].training_api is None
    assert {module.name for module in programs["helper"].modules} == {"helper", "train"}


# ---------------------------------------------------------------- entries


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("from absl import app\ndef main(_): pass\napp.run(main)\n", "absl.app.run(), line 3"),
        ("import absl.app\nabsl.app.run(main)\n", "absl.app.run(), line 2"),
        ("import tensorflow as tf\ntf.app.run()\n", "tensorflow.app.run(), line 2"),
        ("import tensorflow.compat.v1 as tf\ntf.app.run()\n", "tensorflow.app.run(), line 2"),
        ("import tensorflow as tf\ntf.compat.v1.app.run()\n", "tensorflow.app.run(), line 2"),
        ("import fire\nfire.Fire(f)\n", "fire.Fire(), line 2"),
        ("import typer\ntyper.run(f)\n", "typer.run(), line 2"),
        ("import click\n@click.command()\ndef go(): pass\ngo()\n", "go(), line 4"),
        ("import click\n@click.command\ndef go(): pass\nif x:\n    go()\n", "go(), line 5"),
        ("import click\n@click.group()\ndef go(): pass\n@go.command()\ndef sub(): pass\nsub()\n",
         "sub(), line 6"),
        ("import sys, click\n@click.command()\ndef go(): pass\nsys.exit(go())\n", "go(), line 4"),
        ("import typer\napp = typer.Typer()\napp()\n", "app(), line 3"),
        ("import hydra\n@hydra.main(config_path='c')\ndef go(c): pass\ngo()\n", "go(), line 4"),
        ("from sacred import Experiment\nex = Experiment()\n@ex.automain\ndef go(): pass\n",
         "sacred.Experiment.automain, line 4"),
        (f"import argparse\np = argparse.ArgumentParser()\np.parse_args()\n{FIT}",
         "command line read, line 3"),
        (f"import docopt\na = docopt.docopt(__doc__)\ndef f():\n    m.fit(x, epochs=1)\nf()\n{FIT}",
         "docopt, line 2"),
        (f"{FIT}if __name__ == '__main__':\n    pass\n", "__main__ guard, line 4"),
    ],
)  # fmt: skip
def test_imported_modules_that_are_entries(write: Write, text: str, reason: str) -> None:
    assert of_helper(write, text) == reason


def test_modules_that_nobody_imports(write: Write) -> None:
    files = {
        "alone.py": "",
        "pkg/__main__.py": "from . import core\n",
        "pkg/__init__.py": "",
        "pkg/core.py": "",
        "arguments.py": "import argparse\nargparse.ArgumentParser().parse_args()\n",
        "one.py": f"import two\n{FIT}",
        "two.py": "import one\n",
    }
    assert because(write(files)) == {
        "alone": "no module imports it",
        "pkg.__main__": "__main__.py of pkg",
        "arguments": "command line read, line 2",
        "one": "only modules that it imports import it",
    }


def test_console_scripts(write: Write) -> None:
    files = {
        "setup.cfg": "[options.entry_points]\nconsole_scripts =\n"
        "  go = pkg.cli:main\n  b = pkg:up\n",
        "pyproject.toml": "[project.scripts]\nlost = 'nowhere.at:all'\n",
        "pkg/__init__.py": "from .deep import up\n",
        "pkg/cli.py": "def main(): pass\n",
        "pkg/deep.py": "def up(): pass\n",
        "use.py": "import pkg.cli\n",
    }
    repository = write(files)
    assert because(repository) == {
        "pkg.cli": "console script go (setup.cfg)",
        "pkg.deep": "console script b (setup.cfg)",
        "use": "no module imports it",
    }
    assert repository.facts.programs.problems == []


def test_scripts_of_a_part_of_the_repository(write: Write) -> None:
    files = {
        "setup.py": "setup(entry_points={'console_scripts': ['t = pkg.cli']})\nsetup(scripts=x)\n",
        "src/pkg/cli.py": "import pkg.core\n",
        "src/pkg/core.py": "import pkg.cli\n",
    }
    repository = write(files, given=("src",))
    assert because(repository) == {"src.pkg.cli": "console script t (setup.py)"}
    [problem] = repository.facts.programs.problems
    assert str(problem).endswith("setup.py:2: scripts is no literal; scripts that it declares are "
                                 "not known")  # fmt: skip


# ---------------------------------------------------------------- modules reached


@pytest.mark.parametrize(
    "text",
    [
        "import pkg.sub.mod\n",
        "from pkg.sub.mod import x\n",
        "from pkg.sub import mod\n",
        "def f():\n    from pkg.sub import mod\n",
        "if x:\n    import pkg.sub.mod\n",
        "try:\n    import fast\nexcept ImportError:\n    import pkg.sub.mod as fast\n",
        "import importlib\nimportlib.import_module('pkg.sub.mod')\n",
        "__import__('pkg.sub.mod')\n",
        "if __name__ == '__main__':\n    import pkg.sub.mod\n",
    ],
)
def test_modules_reached(write: Write, text: str) -> None:
    files = {
        "main.py": text,
        "pkg/__init__.py": "",
        "pkg/sub/__init__.py": "",
        "pkg/sub/mod.py": "from . import other\n",
        "pkg/sub/other.py": "",
    }
    [program] = [p for p in write(files).facts.programs.all if p.entry.name == "main"]
    assert [module.name for module in program.modules] == [
        "main", "pkg", "pkg.sub", "pkg.sub.mod", "pkg.sub.other"
    ]  # fmt: skip


def test_a_module_of_the_packages_name_beside_it_is_not_the_package(write: Write) -> None:
    files = {
        "main.py": "import pkg.mod\n",
        "pkg/mod.py": "from . import other\n",
        "pkg/other.py": "",
        "pkg.py": "",
    }
    programs = {p.entry.name: p for p in write(files).facts.programs.all}
    assert {m.name for m in programs["main"].modules} >= {"main", "pkg.mod", "pkg.other"}


def test_programs_that_share_a_helper(write: Write) -> None:
    files = {"a.py": "import h\n", "b.py": "import h, own\n", "h.py": "", "own.py": ""}
    repository = write(files)
    programs = repository.facts.programs
    a, b = programs.all
    assert [p.entry.name for p in programs.sharing(repository.module("h.py"), a)] == ["b"]
    assert programs.sharing(repository.module("own.py"), b) == []
    assert programs.sharing(repository.module("a.py"), a) == []
