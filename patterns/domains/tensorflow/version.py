"""Which TensorFlow, and which Keras, a program is written for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from packaging.version import Version

from pinsetter.analyzer.domains.tensorflow.versions import versions
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.requirements import Requirement, requirements, requirements_in

from ...matching.match import Match
from ...predicates.arguments import FLAG, TEXT, keys, one_of
from ...predicates.conditions import of_some_module, program_modules
from ...predicates.registry import predicate


@predicate(one_of(1, 2))
def written_for(match: Match, version: Any) -> Match | None:
    """The TensorFlow, 1 or 2, whose names the program uses; 2 is assumed where nothing tells.

    ::

        match: f()
        where: [{written_for: 1}]
        holds:
          - |
            import tensorflow as tf
            f()
            x = tf.placeholder(tf.float32)
        fails:
          - |
            import tensorflow as tf
            f()
            tape = tf.GradientTape()
          - |
            import tensorflow.compat.v1 as tf
            f()
            session = tf.Session()
          - f()
    """
    found = match.facts.of(versions).of(program_modules(match))
    if found is None and version == 2:
        return match.with_captures({}, "Assumed: the program is written for TensorFlow 2.")
    return match if found == version else None


@predicate(FLAG)
def needs_keras_3(match: Match, wanted: Any) -> Match | None:
    """Whether the program needs Keras 3: it uses what no Keras before it has, or its text or a file
    of its repository asks for that version, or for a TensorFlow that comes with it; where nothing
    says which Keras it is, whether the option `keras-3` is chosen.

    ::

        match: f()
        where: [{needs_keras_3: true}]
        holds:
          - |
            # pip install keras>=3
            f()
          - |
            from keras import ops
            f()
        fails:
          - f()
          - |
            # pip install tensorflow==2.15
            f()
          - |
            import tf_keras
            f()
          - |
            # pip install keras==2.2.5
            import os
            os.environ["KERAS_BACKEND"] = "tensorflow"
            f()
          - |
            _KERAS_BACKEND = None
            f()
    """
    return match if _is_for_keras_3(match) == wanted else None


def _is_for_keras_3(match: Match) -> bool:
    if _says(match, _KERAS_2_WORDS):
        return False
    if "keras-3" in match.pack.chosen and keras_chosen(match, False) is not None:
        return True
    if _asks_beyond(match, is_3=False):
        return True
    # The words, one of which older ones knew as well, count for less than what is asked for.
    return _says(match, _KERAS_3_WORDS) and not _asks_beyond(match, is_3=True)


def _asks_beyond(match: Match, is_3: bool) -> bool:
    """Whether something asks for another Keras than this, or for a TensorFlow that comes with
    another."""
    return any(_is_beyond(one, is_3) for one in _asked(match, (*_WITH_KERAS, "keras")))


@lru_cache(maxsize=256)
def _is_beyond(asked: Requirement, is_3: bool) -> bool:
    first = Version("3" if asked.package == "keras" else "2.16")
    return asked.excludes(_RELEASES, lambda version: (version >= first) == is_3)


@predicate(FLAG)
def keras_chosen(match: Match, wanted: Any) -> Match | None:
    """Whether the program or its repository says that it means Keras 2.

    ::

        match: f()
        where: [{keras_chosen: true}]
        holds:
          - |
            import tf_keras
            f()
          - |
            # pip install tensorflow==2.15
            f()
        fails:
          - f()
          - |
            # pip install keras>=3
            f()
    """
    chosen = _says(match, _KERAS_2_WORDS) or _asks_beyond(match, is_3=True)
    return match if chosen == wanted else None


@predicate(keys({"from": TEXT, "before": TEXT}))
def needs_tensorflow(match: Match, releases: Any) -> Match | None:
    """A TensorFlow of these releases, and no other, is what a file of the repository or the text of
    the program asks for: ``{from: "2.0", before: "2.4"}``.

    ::

        match: f()
        where: [{needs_tensorflow: {from: "2.0", before: "2.4"}}]
        holds:
          - |
            # pip install tensorflow==2.3.1
            f()
          - |
            # pip install "tensorflow>=2.1,<2.4"
            f()
        fails:
          - |
            # pip install tensorflow>=2.1
            f()
          - |
            # pip install tensorflow==2.15
            f()
          - f()
    """
    asked = _asked(match, _WITH_KERAS)
    first, end = Version(releases["from"]), Version(releases["before"])
    only = any(r.excludes(_RELEASES, lambda v: not first <= v < end) for r in asked)
    without = any(r.excludes(_RELEASES, lambda v: first <= v < end) for r in asked)
    return match if only and not without else None


def _says(match: Match, words: Sequence[str]) -> bool:
    """Whether the program's text has one of some words."""

    def says(module: Module) -> bool:
        # Hundreds of programs may have a module in common.
        return match.facts.remembered(
            (_says, id(module), words),
            lambda: any(_word(word).search(module.tree.text) for word in words),
        )

    return of_some_module(match, (_says, words), says)


@cache
def _word(word: str) -> re.Pattern[str]:
    """It begins as a name of its own: `_KERAS_BACKEND` is another."""
    return re.compile(rf"(?<!\w){re.escape(word)}")


def _asked(match: Match, packages: Sequence[str]) -> list[Requirement]:
    """What the program's repository, or its own text, asks for of some packages."""
    facts, modules = match.facts, program_modules(match)
    folder = match.module.real.parent  # a link's folder is another

    def of_text(module: Module) -> list[Requirement]:
        return facts.remembered(
            (requirements_in, id(module), packages),
            lambda: list(requirements_in(module.tree.text, module.path, packages)),
        )

    def find() -> tuple[tuple[Module, ...], list[Requirement]]:
        of_repository = facts.remembered(
            (requirements, folder, packages),
            lambda: list(requirements(match.module.real, packages)),
        )
        # With the modules, so that their identity stays their own.
        return modules, [*of_repository, *(r for m in modules for r in of_text(m))]

    return facts.remembered((_asked, folder, packages, id(modules)), find)[1]


_KERAS_2_WORDS = ("TF_USE_LEGACY_KERAS", "tf_keras")
_KERAS_3_WORDS = ("KERAS_BACKEND", "keras.ops", "keras_core", "from keras import ops")
_WITH_KERAS = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow_cpu", "tensorflow_gpu")
_RELEASES = tuple(
    Version(f"{major}.{minor}.{patch}")
    for major, minors in ((1, 16), (2, 40), (3, 10))
    for minor in range(minors)
    for patch in range(6)
)
