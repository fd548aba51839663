"""LaterReads: whether a name is read after the ``with`` that binds it, here ``file``."""

from __future__ import annotations

import textwrap

import pytest
from fissix.pygram import python_symbols as symbols
from repository import Repository, Write

from pinsetter.analyzer.syntax.tree import walk


def is_read(repository: Repository, name: str = "file") -> bool:
    module = repository.module()
    statement = next(n for n in walk(module.tree.root) if n.type == symbols.with_stmt)
    found = repository.facts.later_reads.of(frozenset({name}), statement, module)
    return bool(found)


NOT_READ = {
    "nothing follows": """
        with opened as file:
            write(file)
        """,
    "it is bound again": """
        def run():
            with opened as file:
                write(file)
            file = None
            print(file)
        """,
    "each turn of the loop binds it first": """
        def run():
            for path in paths:
                with opened as file:
                    write(file)
        """,
    "it was read before, outside of the loop": """
        def run(file):
            print(file)
            while more():
                with opened as file:
                    write(file)
        """,
    "it is left on the other way": """
        def run(done):
            if done:
                with opened as file:
                    write(file)
            else:
                print(file)
        """,
    "the loop ends before it is read": """
        def run():
            for path in paths:
                print(path)
                with opened as file:
                    write(file)
                return
        """,
    "another function's own": """
        def run():
            with opened as file:
                write(file)
            def inner(file):
                return file
            return inner
        """,
    "a comprehension's own": """
        def run():
            with opened as file:
                write(file)
            return [file for file in paths]
        """,
    "an attribute, a keyword, a key": """
        def run(self):
            with opened as file:
                write(file)
            return self.file, run(file=1), {"file": 2}
        """,
    "the module's, where the function has its own": """
        def run():
            with opened as file:
                write(file)
        print(file)
        """,
    "a parameter of a function of the module": """
        with opened as file:
            write(file)
        def run(file):
            return file
        """,
    "a handler that only an error in the block leads to": """
        def run(file):
            with opened as file:
                try:
                    write(file)
                finally:
                    done()
        """,
}


@pytest.mark.parametrize("code", NOT_READ.values(), ids=NOT_READ)
def test_not_read(write: Write, code: str) -> None:
    assert not is_read(write(code))


READ = {
    "below": """
        def run():
            with opened as file:
                write(file)
            print(file.name)
        """,
    "above, in the next turn of a for": """
        def run(file):
            for path in paths:
                print(file)
                with opened as file:
                    write(file)
        """,
    "above, in the next turn of a while": """
        def run(file):
            while file is None:
                with opened as file:
                    write(file)
        """,
    "behind continue": """
        def run(file):
            for path in paths:
                if path:
                    print(file)
                    continue
                with opened as file:
                    write(file)
        """,
    "in the next turn of an outer loop": """
        def run(file):
            for folder in folders:
                print(file)
                for path in paths:
                    with opened as file:
                        write(file)
        """,
    "in finally": """
        def run(file):
            try:
                with opened as file:
                    write(file)
                return 1
            finally:
                print(file)
        """,
    "in a handler of a later error": """
        def run():
            try:
                with opened as file:
                    write(file)
                other()
            except ValueError:
                print(file)
        """,
    "in else of a loop": """
        def run():
            for path in paths:
                with opened as file:
                    write(file)
            else:
                print(file)
        """,
    "in a function that was made before": """
        def run():
            def name():
                return file.name
            with opened as file:
                write(file)
            return name()
        """,
    "in a lambda": """
        def run():
            with opened as file:
                write(file)
            return lambda: file
        """,
    "in a generator": """
        def run():
            with opened as file:
                write(file)
            return (file.name for path in paths)
        """,
    "in a comprehension": """
        def run():
            with opened as file:
                write(file)
            return [file.name for path in paths]
        """,
    "in an f-string": """
        def run():
            with opened as file:
                write(file)
            return f"{file.name}"
        """,
    "deleted": """
        def run():
            with opened as file:
                write(file)
            del file
        """,
    "augmented": """
        def run():
            with opened as file:
                write(file)
            file += 1
        """,
    "it is global": """
        def run():
            global file
            with opened as file:
                write(file)
        """,
    "it is nonlocal": """
        def run():
            file = None
            def inner():
                nonlocal file
                with opened as file:
                    write(file)
            inner()
            return file
        """,
    "a function of the module": """
        def run():
            return file.name
        with opened as file:
            write(file)
        """,
    "a method": """
        class Run:
            def name(self):
                return file.name
        with opened as file:
            write(file)
        """,
    "it is an attribute of a class": """
        class Run:
            with opened as file:
                write(file)
        """,
}


@pytest.mark.parametrize("code", READ.values(), ids=READ)
def test_read(write: Write, code: str) -> None:
    assert is_read(write(code))


MAIN = "with opened as file:\n    write(file)\n"


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("import main\nprint(main.other)\n", False),
        ("from main import other\nfile = other\n", False),
        ("import elsewhere\nprint(elsewhere.file)\n", False),
        ("file = 3\n", False),
        ("import main\nprint(main.file)\n", True),
        ("import main as m\ndef run():\n    return m.file.name\n", True),
        ("from main import file\n", True),
        ("from main import (other, file as f)\n", True),
        ("from main import *\nprint(file)\n", True),
    ],
)
def test_a_name_of_a_module_in_another(write: Write, other: str, expected: bool) -> None:
    repository = write({"main.py": textwrap.dedent(MAIN), "other.py": other})
    assert is_read(repository) == expected
