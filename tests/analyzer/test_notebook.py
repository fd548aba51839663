"""The code cells of notebooks as one text, and back: what is not edited keeps its bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinsetter.analyzer.files.notebook import NotANotebookError, Notebook, read_notebook
from pinsetter.analyzer.files.source import Source, decode
from pinsetter.analyzer.messages.problem import Problem


def made(*cells: str | tuple[str, str], indent: int | None = 1, **about: object) -> str:
    """The JSON of a notebook with code cells, or others given with their kind."""
    found = []
    for number, cell in enumerate(cells):
        kind, source = ("code", cell) if isinstance(cell, str) else cell
        one: dict[str, object] = {"cell_type": kind, "id": f"id{number}", "metadata": {}}
        if kind == "code":
            one |= {"outputs": [{"text": ['a ] } \\" b\n'], "n": -1.5e3, "t": True, "z": None}]}
        found.append({**one, "source": source.splitlines(keepends=True)})
    whole = {"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **about}
    return json.dumps(whole, indent=indent, ensure_ascii=False) + "\n"


def sources(text: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"]]


def unseen(notebook: Notebook) -> list[str]:
    return [code for _, code in notebook.unseen]


def test_cells_are_one_text_in_their_order() -> None:
    notebook = read_notebook(made("a = 1", ("markdown", "# b = 2"), "c = 3\n", ""))
    assert notebook.text == "pass  # cell 1\na = 1\npass  # cell 3\nc = 3\npass  # cell 4\n\n"


@pytest.mark.parametrize(
    "text",
    [
        made(),
        made("a = 1"),
        made("", "", indent=None),
        made("a = 1\n\n", "'é\\\\'", indent=4),
        made(("raw", "x"), ("markdown", "y")),
        made("a = 1").replace("\n", "\r\n"),
        json.dumps(json.loads(made("'é'", "x")), indent=2),
        made("a").replace('["a"]', '"a"').replace('[\n    "a"\n   ]', '"a"'),
    ],
)
def test_what_is_unchanged_keeps_its_bytes(text: str) -> None:
    notebook = read_notebook(text)
    assert notebook.written(notebook.text) == text


def test_only_a_changed_cell_is_written_anew() -> None:
    before = made("a = 1", "b = 'é'\nc = 2", "d = 3")
    notebook = read_notebook(before)
    after = notebook.written(notebook.text.replace("c = 2", "c = 20\ne = 'ü'"))
    assert sources(after) == ["a = 1", "b = 'é'\nc = 20\ne = 'ü'", "d = 3"]
    old, new = before.split("\n"), after.split("\n")
    changed = [line for line in new if line not in old]
    assert changed == ['    "c = 20\\n",', "    \"e = 'ü'\""]


def test_escapes_stay_as_they_were_written() -> None:
    before = json.dumps(json.loads(made("a = 'é'\nb = 1")), indent=1)
    assert "\\u00e9" in before
    notebook = read_notebook(before)
    after = notebook.written(notebook.text.replace("b = 1", "b = 'ü'"))
    assert "\\u00e9" in after
    assert "\\u00fc" in after
    assert after.isascii()


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_an_empty_cell_can_be_filled(indent: int | None) -> None:
    notebook = read_notebook(made("", "a = 1", indent=indent))
    text = notebook.text.replace("cell 1\n\n", "cell 1\nx = 1\ny = 2\n")
    after = notebook.written(text)
    assert sources(after) == ["x = 1\ny = 2", "a = 1"]


def test_a_source_that_is_a_string_stays_one() -> None:
    before = json.dumps({"cells": [{"cell_type": "code", "source": "a = 1\n"}]})
    notebook = read_notebook(before)
    after = json.loads(notebook.written(notebook.text.replace("a = 1", "a = 2\nb")))
    assert after == {"cells": [{"cell_type": "code", "source": "a = 2\nb\n"}]}


MAGICS = """\
%matplotlib inline
!pip install x \\
    --quiet
import os
files = !ls
more=!ls
n = %env HOME
os.path?
if os.name:
    !date
    %cd ..
value = (5
         % 3)
text = '''
%not magic
'''
x = 7 != 8
"""


def test_what_ipython_alone_understands_is_kept_and_is_no_code() -> None:
    notebook = read_notebook(made(MAGICS))
    compile(notebook.text, "text", "exec")
    assert "value = (5\n         % 3)" in notebook.text
    assert "\n%not magic\n" in notebook.text
    assert "\n    pass  # ipython: !date\n" in notebook.text
    assert "import os\n" in notebook.text
    assert "x = 7 != 8\n" in notebook.text
    changed = notebook.text.replace("import os\n", "import os\nimport sys\n")
    assert sources(notebook.written(changed)) == [
        MAGICS.replace("import os", "import os\nimport sys")
    ]
    moved = notebook.text.replace(
        "    pass  # ipython: !date", "    if 1:\n        pass  # ipython: !date"
    )
    assert "    if 1:\n        !date\n" in sources(notebook.written(moved))[0]


def test_a_cell_that_is_python_as_it_stands_has_no_magics() -> None:
    code = "a = (7\n%3)\nb = '''\n!no\n'''\nawait c\n"
    notebook = read_notebook(made(code))
    assert notebook.text == f"pass  # cell 1\n{code}"


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile x.py", "%%sh -e"])
def test_cells_of_other_languages_are_no_code(magic: str) -> None:
    notebook = read_notebook(made(f"{magic}\nrm -rf {{\n", "a = 1"))
    assert notebook.text.split("\n")[1] == f"pass  # ipython| {magic}"
    assert "rm" not in notebook.text
    text = notebook.text.replace(f"| {magic}\n", f"| {magic}\nx = 1\n")
    with pytest.raises(UnicodeEncodeError):
        notebook.written(text)


def test_magics_about_a_cell_of_python_leave_it_that() -> None:
    notebook = read_notebook(made("%%time\nfor x in y:\n    f(x)"))
    assert notebook.text == ("pass  # cell 1\npass  # ipython| %%time\nfor x in y:\n    f(x)\n")
    after = notebook.written(notebook.text.replace("f(x)", "g(x)"))
    assert sources(after) == ["%%time\nfor x in y:\n    g(x)"]


def test_magics_that_run_code_are_named() -> None:
    cells = ("%time f()", "%run train.py\n%%time", "%timeit -n 3 f()", "r = %prun -q f()")
    assert unseen(read_notebook(made(*cells))) == ["%time", "%run", "%timeit", "%prun"]
    cells = ("%%time\nf()", "%cd x", "%time", "%load_ext autoreload", "%%bash\nls", "%%html\n<p>")
    assert unseen(read_notebook(made(*cells))) == []


def test_cells_that_may_be_python_are_named() -> None:
    cells = ("%%writefile x.py\nimport a", "%%skip\nf()", "%%R\nx <- 1")
    assert unseen(read_notebook(made(*cells))) == ["%%writefile", "%%skip"]


@pytest.mark.parametrize(
    "about",
    [{"metadata": {"language_info": {"name": "R"}}},
     {"metadata": {"kernelspec": {"language": "julia"}}}],
)  # fmt: skip
def test_notebooks_of_other_languages_have_no_code(about: dict[str, object]) -> None:
    text = made("x <- 1", **about)
    notebook = read_notebook(text)
    assert notebook.text == ""
    assert notebook.written("") == text
    with pytest.raises(UnicodeEncodeError):
        notebook.written("x = 1\n")


@pytest.mark.parametrize(
    "change", [lambda t: "x = 1\n" + t, lambda t: t.replace("pass  # cell 2\n", ""),
               lambda t: t.replace("pass  # cell 2", "if x:\n    pass  # cell 2")],
)  # fmt: skip
def test_code_in_no_cell_cannot_be_written(change: object) -> None:
    notebook = read_notebook(made("a = 1", "b = 2"))
    assert callable(change)
    with pytest.raises(UnicodeEncodeError):
        notebook.written(change(notebook.text))


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("", "it is no JSON", 1),
        ("{\n 'a': 1}", "it is no JSON", 2),
        ("[]", "it is no notebook", 0),
        ("{}", "it is no notebook", 0),
        ('{"cells": 3}', "it is no notebook", 0),
        ('{"nbformat": 3, "worksheets": []}', "it has the format 3", 0),
        ("[" * 100_000, "it is", 0),
    ],
)
def test_what_is_no_notebook_is_said(text: str, said: str, line: int) -> None:
    with pytest.raises(NotANotebookError, match=said) as caught:
        read_notebook(text)
    assert caught.value.line == line
    problem = decode(Path("a.ipynb"), text.encode())
    assert isinstance(problem, Problem)
    assert said in problem.reason


@pytest.mark.parametrize(
    "cells", [[3], [{}], [{"cell_type": "code"}], [{"cell_type": "code", "source": 3}],
              [{"cell_type": "code", "source": ["a", 3]}]],
)  # fmt: skip
def test_cells_of_another_form_have_no_code(cells: Sequence[object]) -> None:
    text = json.dumps({"cells": cells})
    assert read_notebook(text).text == ""
    assert read_notebook(text).written("") == text


def test_a_line_that_looks_like_a_border_is_said() -> None:
    problem = decode(Path("a.ipynb"), made("pass  # cell 7").encode())
    assert isinstance(problem, Problem)
    assert "cannot be written back" in problem.reason


def test_bytes_that_are_no_utf_8_are_said() -> None:
    problem = decode(Path("a.ipynb"), made("a = 'é'").encode("latin-1"))
    assert isinstance(problem, Problem)
    assert problem.reason.startswith("cannot be decoded as utf-8")
    assert problem.line > 1


def test_places_are_those_of_cells() -> None:
    source = decode(
        Path("a.ipynb"), made("a\nb", ("markdown", "x"), "%%bash\nls\n", "c\n").encode()
    )
    assert isinstance(source, Source)
    lines = enumerate(source.text.split("\n"), 1)
    found = [source.where(number) for number, line in lines if line and "# cell" not in line]
    assert found == ["cell 1, line 1", "cell 1, line 2", "cell 3, line 1", "cell 4, line 1"]
    assert source.place(2) == "a.ipynb:cell 1:1"


LINES = st.lists(
    st.sampled_from(["a = 1", "", "    b()", "%cd x", "!ls", "'é\\\\'", "\"q\"", "x\x0cy", "if c:",
                     "# pass", "\t", "s = 'a\\\\\\\nb'"]), max_size=5,
)  # fmt: skip
CELLS = st.lists(st.tuples(st.sampled_from(["code", "markdown"]), LINES, st.booleans()), max_size=5)


@settings(max_examples=300, deadline=None)
@given(CELLS, st.sampled_from([None, 1, 2]), st.booleans())
def test_any_notebook_is_written_back_as_it_was(
    cells: list[tuple[str, list[str], bool]], indent: int | None, ascii: bool
) -> None:
    told = [(kind, "\n".join(lines) + "\n" * ended) for kind, lines, ended in cells]
    text = made(*told, indent=indent)
    if ascii:
        text = json.dumps(json.loads(text), indent=indent)
    notebook = read_notebook(text)
    assert notebook.written(notebook.text) == text
    import re

    more = re.sub(r"^(pass  # cell \d+)$", r"\1\nnew = 'ü'", notebook.text, flags=re.MULTILINE)
    after = json.loads(notebook.written(more))
    for (kind, source), cell, old in zip(
        told, after["cells"], json.loads(text)["cells"], strict=True
    ):
        found = "".join(cell.pop("source"))
        old.pop("source")
        assert cell == old
        assert found == (source if kind != "code" else f"new = 'ü'\n{source}") or not source
