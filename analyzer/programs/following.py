"""Following: from what code says to all that may run by it.

A function may run if code that may run says a name that may mean it: its own in its module, or
what an import calls it; the attribute of a module; the attribute of anything else, if an instance
of its class may have been made. What Python or others call by themselves may run as soon as they
may have it: special methods of a class of which an instance may be made, all methods of one that is
derived from a library's, what a decorator is given. Where a name is looked up that the code does
not say, any name that is there may be meant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import partial

from ..names.module import Module
from .known_code import KnownCode
from .named_code import Meant
from .said_in_code import ANY_MODULE, OWN, UNKNOWN, Chain, Said
from .units import ClassUnit, Unit, units_of


@dataclass
class State:
    """What is reached so far, by identity."""

    units: set[int] = field(default_factory=set)
    live: set[int] = field(default_factory=set)
    called: set[int] = field(default_factory=set)
    held: dict[int, Module] = field(default_factory=dict)
    handed: dict[int, Module] = field(default_factory=dict)
    listed: set[int] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    anywhere: set[str] = field(default_factory=set)
    families: set[int] = field(default_factory=set)
    any_method: bool = False
    any_owner: bool = False
    any_class: bool = False
    any_module: bool = False
    any_file: bool = False

    def copy(self) -> State:
        return replace(self, **{one.name: copy(getattr(self, one.name)) for one in fields(self)})


class Index:
    """The methods and classes of modules by their names, and the classes below each."""

    def __init__(self, code: KnownCode, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.methods: defaultdict[str, list[Unit]] = defaultdict(list)
        self.inner: defaultdict[str, list[ClassUnit]] = defaultdict(list)
        self.below: defaultdict[int, list[ClassUnit]] = defaultdict(list)
        for cls in (cls for module in modules for cls in units_of(module).classes):
            for method in cls.methods:
                self.methods[method.name].append(method)
            if cls.owner is not None:
                self.inner[cls.name].append(cls)
            for base in code.bases(cls)[0]:
                self.below[id(base)].append(cls)


class Following:
    """Follows what is said until nothing is new."""

    def __init__(self, code: KnownCode, indexes: Sequence[Index], state: State) -> None:
        self._code, self.indexes, self.state = code, indexes, state
        # Not by recursion: modules import each other in long chains.
        self._waiting: list[Callable[[], None]] = []

    def load(self, modules: Sequence[Module]) -> None:
        """Add modules to those that there are, and run their own statements."""
        new = Index(self._code, modules)
        self.indexes = [*self.indexes, new]
        self._meet(new)
        for module in modules:
            self._run(module)

    def _meet(self, new: Index) -> None:
        """What was said of anything may mean what is new."""
        state = self.state
        for name in state.attributes:
            for cls in new.inner.get(name, ()):
                self.live(cls)
        if state.any_owner:
            self._reach_methods(new)
        for cls in (cls for module in new.modules for cls in units_of(module).classes):
            if id(cls) in state.live:
                self._reach_those_of(cls)
        for one, below in new.below.items():
            for cls in below if one in state.families else ():
                self._dynamic_family(cls)
        for module in new.modules:
            for name in state.anywhere:
                self._mean(name, module)
            if state.any_class:
                self._live_all(module)
            if state.any_module:
                self.hold(module)
            if state.any_file:
                self._run_file(module)

    @property
    def _modules(self) -> Iterator[Module]:
        return (module for index in self.indexes for module in index.modules)

    def finish(self) -> None:
        while self._waiting:
            self._waiting.pop()()

    def _run(self, module: Module) -> None:
        """Run a module's own statements."""
        units = units_of(module)
        self.hear(units.rest, module, None)
        for chain in units.rest.chains:
            for one in units.named.get(chain[0], ()):
                if isinstance(one, Unit) and one.owner is not None:
                    self.reach(one)  # in the class, as in `x = property(get_x)`
        for unit in units.units:
            if unit.owner is None and self._is_kept(unit):
                self.reach(unit)
        for cls in units.classes:
            if self._code.is_registered(cls):
                self.live(cls)

    def _is_kept(self, unit: Unit) -> bool:
        return any(self._code.keeps(one, unit.module) for one in unit.decorators)

    def reach(self, unit: Unit) -> None:
        if id(unit) not in self.state.units:
            self.state.units.add(id(unit))
            self._waiting.append(lambda: self.hear(unit.said, unit.module, unit))

    def hear(self, said: Said, module: Module, unit: Unit | None) -> None:
        for chain in said.chains:
            self._take(self._code.meant(chain, module))
        for name in said.attributes:
            self.attribute(name)
        if unit is not None and unit.is_getattr:
            return  # the name is that which is asked for
        for chain in said.computed:
            self._dynamic(chain, module, unit)
        for chain in said.tables:
            if chain == OWN or self._is_table(chain, module):
                self._dynamic(chain, module, unit)
        for dotted in said.modules:
            self._by_call(dotted, module)
        if said.runs_text:
            self._run_text(module)
        if said.unpickles:
            self._any_owner()
        if said.lists_classes and not self.state.any_class:
            self.state.any_class = True
            for other in self._modules:
                self._live_all(other)
        if said.runs_files and not self.state.any_file:
            self.state.any_file = True
            for other in self._modules:
                self._run_file(other)

    def _live_all(self, module: Module) -> None:
        for cls in units_of(module).classes:
            self.live(cls)

    def _run_file(self, module: Module) -> None:
        self.dynamic_module(module)
        self.hear(units_of(module).guarded, module, None)

    def _take(self, meant: Meant) -> None:
        for one in meant.code:
            self._use(one)
        for module in meant.modules:
            self.hand(module)
        for name in meant.attributes:
            self.attribute(name)
        for name in meant.anywhere:
            self._anywhere(name)

    def _anywhere(self, name: str) -> None:
        if name in self.state.anywhere:
            return
        self.state.anywhere.add(name)
        for module in self._modules:
            self._mean(name, module)

    def _mean(self, name: str, module: Module) -> None:
        for one in units_of(module).named.get(name, ()):
            self._use(one)

    def _use(self, one: Unit | ClassUnit) -> None:
        if isinstance(one, Unit):
            self.reach(one)
        else:
            self.live(one)

    def attribute(self, name: str) -> None:
        """The attribute of what is not known."""
        if name in self.state.attributes:
            return
        self.state.attributes.add(name)
        for index in self.indexes:
            for method in index.methods.get(name, ()):
                if self.state.any_owner or id(method.owner) in self.state.live:
                    self.reach(method)
            for cls in index.inner.get(name, ()):
                self.live(cls)
        # Of a module that is held since, all are heard when it is its turn.
        for module in self._code.having(name):
            if id(module) in self.state.held:
                self._take_of(module, name)

    def _take_of(self, module: Module, name: str) -> None:
        self._take_held(self._code.exported(module, name))

    def _take_held(self, meant: Meant) -> None:
        self._take(Meant(meant.code))
        for module in meant.modules:
            self.hold(module)

    def hold(self, module: Module) -> None:
        """Something has the module, of which attributes are said."""
        if id(module) not in self.state.held:
            self.state.held[id(module)] = module
            self._waiting.append(lambda: self._hear_held(module))

    def _hear_held(self, module: Module) -> None:
        for name in self.state.attributes & self._code.names_of(module):
            self._take_of(module, name)

    def hand(self, module: Module) -> None:
        """Something is given the module itself, as a value."""
        if id(module) not in self.state.handed:
            self.state.handed[id(module)] = module
            self.hold(module)
            if self.state.any_method:
                self.dynamic_module(module)

    def live(self, cls: ClassUnit, called: bool = False) -> None:
        """An instance of the class may be made; ``called``: others call its methods."""
        above, foreign = self._code.bases(cls)
        called = called or foreign
        if id(cls) in self.state.live and (not called or id(cls) in self.state.called):
            return
        self.state.live.add(id(cls))
        if called:
            self.state.called.add(id(cls))
        self._reach_those_of(cls)
        self._waiting += (partial(self.live, base, called) for base in above)

    def _reach_those_of(self, cls: ClassUnit) -> None:
        """The methods that may be called of an instance."""
        every = id(cls) in self.state.called or self.state.any_method
        for method in cls.methods:
            if every or method.is_special or method.name in self.state.attributes or (
                self._is_kept(method)
            ):  # fmt: skip
                self.reach(method)

    def _any_owner(self) -> None:
        """An instance may be of any class."""
        if not self.state.any_owner:
            self.state.any_owner = True
            for index in self.indexes:
                self._reach_methods(index)

    def _reach_methods(self, index: Index) -> None:
        for name in self.state.attributes & index.methods.keys():
            for method in index.methods[name]:
                self.reach(method)

    def _run_text(self, module: Module) -> None:
        """A text may say any name of the module, and those of the modules that it has."""
        self.dynamic_module(module)
        for name in self._code.names_of(module):
            for other in self._code.exported(module, name).modules:
                self.dynamic_module(other)

    def _is_table(self, chain: Chain, module: Module) -> bool:
        if not chain:
            return False
        meant = self._code.meant(chain, module)
        return bool(meant.modules) or any(isinstance(one, ClassUnit) for one in meant.code)

    def _dynamic(self, chain: Chain, module: Module, unit: Unit | None) -> None:
        """A name is looked up that is not said, of what a chain means."""
        if chain == OWN:
            self.dynamic_module(module)
        elif chain[:1] in (("self",), ("cls",)) and unit is not None and unit.owner is not None:
            if len(chain) == 1:
                self._dynamic_family(unit.owner)
            else:
                self._any_method()
        elif chain == UNKNOWN:
            self._any_method()
        else:
            meant = self._code.meant(chain, module)
            self._take(meant)
            for other in meant.modules:
                self.dynamic_module(other)
            for one in meant.code:
                if isinstance(one, ClassUnit):
                    self._dynamic_family(one)
            if meant.unknown:
                self._any_method()

    def _dynamic_family(self, cls: ClassUnit) -> None:
        waiting, known = [cls], self.state.families
        while waiting:
            current = waiting.pop()
            if id(current) not in known:
                known.add(id(current))
                for method in current.methods:
                    self.reach(method)
                waiting += self._code.bases(current)[0]
                for index in self.indexes:
                    waiting += index.below.get(id(current), ())

    def dynamic_module(self, module: Module) -> None:
        """Any name of a module may be meant."""
        if id(module) not in self.state.listed:
            self.state.listed.add(id(module))
            self._waiting.append(lambda: self._hear_listed(module))

    def _hear_listed(self, module: Module) -> None:
        self.define(module)
        for name in self._code.names_of(module):
            self._take_held(self._code.exported(module, name))
        if module.binding("__getattr__"):
            for name in units_of(module).texts:
                self._anywhere(name)
        self.hold(module)

    def define(self, module: Module) -> None:
        """All that a module defines may be used."""
        self._live_all(module)
        for unit in units_of(module).units:
            self.reach(unit)

    def _any_method(self) -> None:
        """Any method of an instance that there may be, any function of a module that is held."""
        if self.state.any_method:
            return
        self.state.any_method = True
        for other in self._modules:
            for cls in units_of(other).classes:
                if id(cls) in self.state.live:
                    for method in cls.methods:
                        self.reach(method)
        for module in [*self.state.handed.values()]:
            self.dynamic_module(module)

    def _by_call(self, dotted: str, module: Module) -> None:
        if dotted != ANY_MODULE:
            found = self._code.imported(module, dotted)
            if found is not None:
                self.hold(found)
            return
        if not self.state.any_module:
            self.state.any_module = True
            for other in self._modules:
                self.hold(other)
