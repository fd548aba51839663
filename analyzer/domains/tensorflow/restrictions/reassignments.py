"""R06: variables that hold a dataset or an optimizer, and later something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....messages.finding import Finding
from ....names.scopes import Binding
from ....values.value import Certainty, Values
from .checked_code import Code, exclude_each_other
from .holders import article, is_same
from .sites import DATASET, OPTIMIZER, Site

_KINDS = ("assign", "walrus", "for", "with", "augment")


def check(code: Code) -> Iterator[Finding]:
    """Bindings that come after one of a dataset or an optimizer and are none themselves."""
    for bindings in _variables(code):
        for role in (DATASET, OPTIMIZER):
            yield from _of_variable(code, role, bindings)


def _variables(code: Code) -> Iterator[Sequence[Binding]]:
    """The bindings of each name, and of each attribute of ``self`` in a class, in source order."""
    for scope in code.module.scopes:
        yield from scope.bindings.values()
    attributes: dict[tuple[str, int], list[Binding]] = {}
    for binding in code.module.scopes.attributes:
        owner = binding.scope.enclosing_class
        key = (code.named(binding), id(owner) if owner is not None else id(binding.scope))
        attributes.setdefault(key, []).append(binding)
    yield from attributes.values()


def _of_variable(code: Code, role: str, bindings: Sequence[Binding]) -> Iterator[Finding]:
    if len(bindings) < 2:
        return
    held: Binding | None = None
    start = code.module.tree.start
    for binding in sorted(bindings, key=lambda b: start(b.node)):
        values = code.facts.evaluator.binding(binding, code.module)
        if code.holds(values, role):
            held = held or binding
        elif held is not None and binding.kind in _KINDS and not (
            binding.kind == "assign" and not binding.value
        ):  # fmt: skip
            if not exclude_each_other(held, binding):
                yield _finding(code, role, held, binding, values)


def _finding(code: Code, role: str, held: Binding, binding: Binding, values: Values) -> Finding:
    name = code.named(binding)
    value = f"`{code.text(binding.value)}`" if binding.value else "another value"
    since = f"{name} holds {article(role)} since line {code.line(held.node)}"
    site = _assumed(code, role, binding)
    known = any(code.is_known(value) for value in values.items)
    if known and role == DATASET and site is None:
        return code.finding(
            "R06", binding.node,
            f"{since}, and {value} from here on, which is none; by the order of the statements it "
            f"is known which of them {name} holds where it matters",
        )  # fmt: skip
    if known:
        return code.finding(
            "R06", binding.node,
            f"{since}, and {value} from here on, which is none; the rules no longer know which of "
            f"them {name} holds",
            f"Give {value} another name",
        )  # fmt: skip
    if site is not None:
        return code.finding(
            "R06", binding.node,
            f"{since}, and {value} from here on, which is not known to be one; that {name} is "
            f"{article(role)} on {site} is only assumed",
            f"Give {value} another name",
        )  # fmt: skip
    by = "apply_gradients() by its name" if role == OPTIMIZER else "nothing that depends on it"
    return code.finding(
        "R06", binding.node,
        f"{since}, and {value} from here on, which is not known; the rules rewrite {by}",
    )  # fmt: skip


def _assumed(code: Code, role: str, binding: Binding) -> Site | None:
    for site in code.sites.near(code.module, role):
        if site.known is Certainty.POSSIBLE and is_same(code, binding, site):
            return site
    return None
