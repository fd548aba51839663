"""Roles: what makes an object an optimizer, a model, a dataset …, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..interpreter import Run, calls
from ..interpreter.objects import (
    Builtin,
    Class,
    Container,
    External,
    Instance,
    Object,
    Objects,
    Result,
    Unseen,
)
from ..interpreter.run import ITEMS
from ..library.hierarchy import ClassHierarchy
from ..values.value import Certainty
from .role import NO, PROVED, Role, Verdict

# What else there is has no role.
_JUDGED = (Result, Unseen, External, Instance, Container)


class RoleJudge:
    """Says of the objects of one run which roles they have."""

    def __init__(self, run: Run, roles: Sequence[Role], hierarchy: ClassHierarchy) -> None:
        self.run = run
        self.roles = {role.name: role for role in roles}
        self.hierarchy = hierarchy
        self._verdicts: dict[tuple[Object, str], Verdict] = {}
        self._names: dict[Object, frozenset[str]] = {}

    def roles_of(self, objects: Objects | set[Object]) -> list[Role]:
        """The roles that something of ``objects`` has."""
        names: set[str] = set()
        for found in self.run.in_order(frozenset(objects)):
            if isinstance(found, _JUDGED):
                if found not in self._names:
                    having = (r.name for r in self.roles.values() if self.of(found, r).certainty)
                    self._names[found] = frozenset(having)
                names |= self._names[found]
        return [role for name, role in self.roles.items() if name in names]

    def judge(self, objects: Objects | set[Object], role: Role) -> Verdict:
        """Whether what is one of ``objects`` has the role: proved if every one of them has."""
        # While one is asked, what it was made from has no role: the order counts.
        verdicts = [self.of(found, role) for found in self.run.in_order(frozenset(objects))]
        if not any(verdict.certainty for verdict in verdicts):
            return NO
        if all(verdict.certainty is Certainty.PROVED for verdict in verdicts):
            return PROVED
        reasons = sorted({v.because for v in verdicts if v.because})
        others = any(not verdict.certainty for verdict in verdicts)
        if others:
            reasons.append("it may be something else, too")
        return Verdict(Certainty.POSSIBLE, "; ".join(reasons))

    def of(self, found: Object, role: Role) -> Verdict:
        """Whether one object has the role."""
        if not isinstance(found, _JUDGED):
            return NO
        key = found, role.name
        known = self._verdicts.get(key)
        if known is None:
            self._verdicts[key] = NO  # while it is asked of what it was made from
            known = self._verdicts[key] = self._of(found, role)
        return known

    def _of(self, found: Object, role: Role) -> Verdict:
        if isinstance(found, External) and found.owner is None:
            return PROVED if self.hierarchy.library.canonical(found.name) in role.module else NO
        if role.items is not None:
            return self._of_items(found, role)
        names = self.classes(found)
        if any(self.hierarchy.isa(name, wanted) for name in names for wanted in role.isa):
            if isinstance(found, Instance | Result) and found.site == (0, 0):
                return Verdict(Certainty.POSSIBLE, "a parameter is annotated so")
            return PROVED
        if isinstance(found, Result) and names:
            return NO
        if isinstance(found, Instance) and self._is_own(found):
            return NO
        if isinstance(found, Result) and found.callee.endswith(".*"):
            return self._of_any(found.callee.removesuffix(".*"), role)
        return self._assumed(found, role)

    def _of_any(self, module: str, role: Role) -> Verdict:
        """What calling one of the classes of a library's module gives."""
        prefix = f"{self.hierarchy.library.canonical(module)}."
        classes = [name for name in self.hierarchy.library.classes
                   if name.startswith(prefix) and "." not in name.removeprefix(prefix)]  # fmt: skip
        if any(self.hierarchy.isa(name, wanted) for name in classes for wanted in role.isa):
            return Verdict(Certainty.POSSIBLE, f"it is of some class of {module}")
        return NO

    def classes(self, found: Object) -> list[str]:
        """The library's classes of which an object is an instance, as far as they are known."""
        if isinstance(found, Result):
            name = self.run.type_of(found)
            return [name] if name is not None else []
        if isinstance(found, Instance):
            bases = calls.ancestors(self.run, found.cls)
            return [base.name for base in bases if isinstance(base, External)]
        return []

    def _is_own(self, found: Instance) -> bool:
        """Whether all bases of an object's class are known, to the last."""
        return all(
            isinstance(base, Class | Builtin)
            or (isinstance(base, External) and self.hierarchy.is_closed(base.name))
            for base in calls.ancestors(self.run, found.cls)
        )

    def _of_items(self, found: Object, role: Role) -> Verdict:
        if isinstance(found, Container) and found.kind in ("list", "tuple"):
            items = self.run.stores.put_into((found, ITEMS))
            wanted = self.roles[role.items or ""]
            verdict = self.judge(items, wanted)
            if verdict.certainty:
                return verdict
        return self._handed(found, role)

    def _assumed(self, found: Object, role: Role) -> Verdict:
        if isinstance(found, Container):
            return NO
        uses = self.run.uses.get(found, {})
        asked = sorted(role.asked & uses.keys()) or self._interface(found, role)
        for name in asked:
            module, node = uses[name]
            line = module.tree.line_of(node)
            return Verdict(Certainty.POSSIBLE, f"it is asked for .{name} in line {line}")
        verdict = self._handed(found, role)
        return verdict if verdict.certainty else self._made(found, role)

    def _interface(self, found: Object, role: Role) -> list[str]:
        """What an object is asked for, if its methods, one after the other, are those of a class.

        One method that is called so proves little: the results must be asked for another.
        """
        library = self.hierarchy.library
        for cls in role.isa:
            called: set[str] = set()
            waiting, seen = [found], {found}
            while waiting:
                current = waiting.pop()
                for use in self.run.uses.get(current, ()):
                    method = use.removesuffix("()")
                    given = library.returns(f"{library.canonical(cls)}.{method}")
                    if given and use != method and self.hierarchy.isa(given, cls):
                        called.add(method)
                        waiting += self._results.get((current, method), set()) - seen
                        seen.update(waiting)
            if len(called) > 1:
                uses = self.run.uses.get(found, {})
                return sorted(use for use in uses if use.removesuffix("()") in called)
        return []

    @cached_property
    def _results(self) -> dict[tuple[Object, str], set[Object]]:
        """What a method of an object that is not of the project gave."""
        found: dict[tuple[Object, str], set[Object]] = {}
        for result, makers in self.run.made_by.items():
            for maker in makers:
                found.setdefault(maker, set()).add(result)
        return found

    def _handed(self, found: Object, role: Role) -> Verdict:
        for (callee, parameter), (module, node) in self.run.handed.get(found, {}).items():
            method = callee.rpartition(".")[2]
            if (method, parameter) in role.given:
                line = module.tree.line_of(node)
                because = f"it is given to {method} in line {line}"
                return Verdict(Certainty.POSSIBLE, because)
        return NO

    def _made(self, found: Object, role: Role) -> Verdict:
        """What a method of something assumed to have a role gives, by the library's data."""
        if not isinstance(found, Result | Unseen):
            return NO
        library = self.hierarchy.library
        for owner, method in sorted(self.run.made_by.get(found, ()), key=repr):
            for other in self.roles.values():
                verdict = self.of(owner, other)
                for cls in other.isa if verdict.certainty is Certainty.POSSIBLE else ():
                    given = library.returns(f"{library.canonical(cls)}.{method}")
                    if given and any(self.hierarchy.isa(given, wanted) for wanted in role.isa):
                        return verdict
        return NO
