"""Paths that a program both writes and reads."""

from __future__ import annotations

import pytest
from snippets import rewritten

IMPORTS = "import os\nimport numpy as np\nfrom pathlib import Path\n"
FUNCTIONS = ["numpy.save"]


def found(write: str, read: str, folder: bool = False, head: str = "") -> bool:
    of = {"value": "$p", "functions": FUNCTIONS, "methods": ["save_weights"], "folder": folder}
    where = [{"written_path": of}]
    rule = {"match": "read($p)", "where": where, "edit": {"wrap": "$match", "with": "same($it)"}}
    code = f"{IMPORTS}{head}def main(folder, cfg):\n    {write}\n    read({read})\n"
    return "same(" in rewritten(code, **rule)


@pytest.mark.parametrize(
    ("write", "read"),
    [
        ("np.save('a.npy', x)", "'b.npy'"),
        ("np.save('data/a.npy', x)", "'data/b.npy'"),
        ("np.save(os.path.join(folder, 'a.npy'), x)", "os.path.join(folder, 'b.npy')"),
        ("np.save('%d.npy' % x, x)", "'%d.npy' % y"),  # nothing telling is left
        ("np.save('ab', x)", "'ab'"),  # too short to tell
        ("np.load('a.npy')", "'a.npy'"),
        ("model.save('a.npy')", "'a.npy'"),
        ("np.save(other(), x)", "another()"),
        ("np.save('model', x)", "'model.py'"),
        ("path = 'other'; np.save(path, x); path = 'model.npy'", "path"),
    ],
)
def test_other_files(write: str, read: str) -> None:
    assert not found(write, read)


@pytest.mark.parametrize(
    ("write", "read"),
    [
        ("np.save('a.npy', x)", "'a.npy'"),
        ("np.save('a.npy', x)", "'./a.npy'"),
        ("model.save_weights('best_{epoch}.h5')", "f'best_{last}.h5'"),
        ("model.save_weights('best_{}.h5'.format(x))", "'best_%d.h5' % x"),
        ("np.save(os.path.join(folder, 'a.npy'), x)", "folder + '/a.npy'"),
        ("path = 'a.npy'; np.save(path, x)", "'a.npy'"),
        ("np.save(cfg.path, x)", "cfg.path"),
        ("np.save(folder, x)", "folder"),
        ("np.save(str(Path(folder) / 'a.npy'), x)", "Path('a.npy')"),
        ("np.save(cfg['path'], x)", "cfg['path']"),
        ("np.save('model', x)", "'model.npy'"),
        ("path = 'other'; np.save(path, x); path = 'model.npy'", "path + '/other'"),
    ],
)
def test_one_file(write: str, read: str) -> None:
    assert found(write, read)


@pytest.mark.parametrize(
    ("write", "read", "wanted"),
    [
        ("np.save('saved/a.npy', x)", "'saved'", True),
        ("np.save('saved/%d.npy' % x, x)", "'./saved/'", True),
        ("np.save(os.path.join(folder, 'a.npy'), x)", "folder", True),
        ("np.save('saved/a.npy', x)", "'other'", False),
        ("np.save('a.npy', x)", "folder", False),
    ],
)
def test_what_is_in_a_folder(write: str, read: str, wanted: bool) -> None:
    assert found(write, read, folder=True) == wanted


def test_a_plain_name_means_the_same_in_its_own_scope_only() -> None:
    head = "def save(path, x):\n    np.save(path, x)\n"
    assert not found("path = ask()", "path", head=head)
    assert found("save('a.npy', x)", "'a.npy'", head=head)


def test_what_a_variable_is_put_together_from_is_told_wherever_it_is_read() -> None:
    head = "name = 'weights'\nother = 'rates'\n"
    for read, same in [("other", False), ("name", True), ("[other, name][0]", True)]:
        assert found("np.save(os.path.join(folder, name), x)", read, head=head) is same
        assert found("print(name, other)\n    np.save(name + '.npy', x)", read, head=head) is same


def test_a_variable_of_another_scope_is_another_one() -> None:
    head = "def elsewhere(name):\n    np.save(name, 1)\n"
    assert not found("name = make()", "name", head=head)


@pytest.mark.parametrize(
    ("write", "loop", "wanted"),
    [
        ("'three.npy'", "for n in ['one.npy', 'two.npy']", False),
        ("'two.npy'", "for n in ['one.npy', 'two.npy']", True),
        ("folder + '/%d.npy' % cfg", "for n in glob(folder + '/*.npy')", True),
        ("cfg.path + '/one.npy'", "for n in sorted(os.listdir(folder))", False),
    ],
)
def test_what_a_loop_goes_through(write: str, loop: str, wanted: bool) -> None:
    assert found(f"np.save({write}, x)\n    {loop}:\n        read(n)", "1") == wanted
    assert found(f"np.save({write}, x)\n    all([read(n) {loop}])", "1") == wanted
