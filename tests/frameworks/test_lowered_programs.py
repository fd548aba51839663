"""What torch, JAX and TensorFlow say to functions that were lowered (`make test-frameworks`): they
take them as a whole, and results are those of the functions before, run as they are."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

Made = Callable[[str], Callable[..., Any]]

FIXTURES = Path(__file__).parents[2] / "fixtures" / "lowered"


def pairs(target: str) -> list[Any]:
    files = [folder / f"{target}.yaml" for folder in (FIXTURES, FIXTURES / "loops")]
    given = [one for file in files for one in yaml.safe_load(file.read_text())]
    return [pytest.param(one, id=one["name"]) for one in given]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """Imports code as a module of its own, which torch looks for, and gives its function."""
    monkeypatch.syspath_prepend(tmp_path)
    names: list[str] = []

    def imported(code: str) -> Callable[..., Any]:
        names.append(f"made_{tmp_path.name}_{len(names)}".replace("-", "_"))
        (tmp_path / f"{names[-1]}.py").write_text(code)
        importlib.invalidate_caches()
        found: Callable[..., Any] = importlib.import_module(names[-1]).f
        return found

    yield imported
    for name in names:
        sys.modules.pop(name, None)


def calls(pair: dict[str, Any], names: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [eval(f"({call},)", names) for call in pair["calls"]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pair", pairs("torch"))
def test_torch_takes_it(pair: dict[str, Any], made: Made) -> None:
    torch = pytest.importorskip("torch")
    before, after = made(pair["before"]), made(pair["after"])
    exported: dict[str, Any] = {}

    class Whole(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = after if isinstance(after, torch.nn.Module) else None

        def forward(self, *given: Any) -> Any:
            return after(*given)

    def copied(given: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(one.clone() if isinstance(one, torch.Tensor) else one for one in given)

    def shapes(given: tuple[Any, ...]) -> str:
        return str([getattr(one, "shape", None) for one in given])

    for number, given in enumerate(calls(pair, {"torch": torch})):
        wanted = before(*copied(given))
        torch._dynamo.reset()
        if number == 0:
            if not pair.get("unrolled"):
                with pytest.raises(Exception, match=r"(?s)."):
                    torch.compile(before, fullgraph=True, backend="eager")(*copied(given))
            torch._dynamo.reset()
        if shapes(given) not in exported:
            exported[shapes(given)] = torch.export.export(Whole(), copied(given)).module()
        whole = torch.compile(after, fullgraph=True, backend="eager")
        for function in (after, whole, exported[shapes(given)]):
            torch.testing.assert_close(function(*copied(given)), wanted, equal_nan=True)


@pytest.mark.parametrize("pair", pairs("jax"))
def test_jax_takes_it(pair: dict[str, Any], made: Made) -> None:
    jax = pytest.importorskip("jax")
    numpy = pytest.importorskip("numpy")
    before, after = made(pair["before"]), made(pair["after"])
    for given in calls(pair, {"jax": jax, "jnp": jax.numpy}):
        wanted = before.__wrapped__(*given)  # type: ignore[attr-defined]
        found = after(*given)
        for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            numpy.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("pair", pairs("tf"))
def test_tensorflow_takes_it(pair: dict[str, Any], made: Made) -> None:
    tf = pytest.importorskip("tensorflow")
    before, after = made(pair["before"]), made(pair["after"])
    traced = tf.function(after, autograph=False)
    for given in calls(pair, {"tf": tf}):
        with pytest.raises(Exception, match=r"(?s)."):
            tf.function(before, autograph=False)(*given)
        wanted = before(*given)
        for function in (after, traced):
            found = tf.nest.flatten(function(*given))
            for one, other in zip(found, tf.nest.flatten(wanted), strict=True):
                tf.debugging.assert_near(tf.cast(one, tf.float32), tf.cast(other, tf.float32))


PROGRAM = """\
import torch

def f(x):
    y = x * 2
    if y.sum() > 0:
        return y.cos()
    return y.sin()

if __name__ == "__main__":
    print({call})
"""
SAID = {
    "graph_breaks": 'torch.compile(f, backend="eager")(torch.ones(3))',
    "explain": "torch._dynamo.explain(f)(torch.ones(3))",
    "fullgraph": 'torch.compile(f, backend="eager", fullgraph=True)(torch.ones(3))',
}


@pytest.mark.parametrize("how", SAID)
def test_what_torch_says_names_the_place(how: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path, log = tmp_path / "train.py", tmp_path / "log"
    path.write_text(PROGRAM.replace("{call}", SAID[how]))
    _said(path, log, {"TORCH_LOGS": "graph_breaks"} if how == "graph_breaks" else {})
    assert "torch.cond(y.sum() > 0, then, otherwise)" in _lowered(path, log, "torch")


def test_what_jax_says_names_the_place(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    path, log = tmp_path / "train.py", tmp_path / "log"
    path.write_text(
        "import jax\n\n@jax.jit\ndef f(x):\n    if x > 0: x = x * 2\n    return x\n\nf(1.0)\n"
    )
    _said(path, log, {})
    assert "jax.lax.cond(x > 0, then, otherwise, x)" in _lowered(path, log, "jax")


def _said(path: Path, log: Path, environment: dict[str, str]) -> None:
    with log.open("w") as file:
        subprocess.run(
            [sys.executable, path], stdout=file, stderr=file, check=False,
            env={**os.environ, **environment},
        )  # fmt: skip


def _lowered(path: Path, log: Path, target: str) -> str:
    command = ["run", "lower-control-flow", "--set", f"target={target}", "--from", log, "--write"]
    subprocess.run([sys.executable, "-m", "pinsetter", *command, path], check=True)
    return path.read_text()
