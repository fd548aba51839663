"""ReachedCode: what of its modules a program may run, by the names that its code says.

A function may run if code that may run says a name that may mean it: its own in its module, or
what an import calls it; the attribute of a module; the attribute of anything else, if an instance
of its class may have been made. What Python or others call by themselves may run as soon as they
may have it: special methods of a class of which an instance may be made, all methods of one that is
derived from a library's, what a decorator is given. Where a name is looked up that the code does
not say, any name that is there may be meant.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from ..names.module import Module
from ..names.project import Project
from .named_code import Meant, NamedCode
from .said import ANY_MODULE, OWN, UNKNOWN, Chain, Said
from .units import ClassUnit, Decorator, Unit, units_of
from .wrapping import only_wraps

# Classes that call nothing of those derived from them but their special methods.
_CALL_NOTHING = {
    "ABC", "ABCMeta", "Enum", "Flag", "Generic", "IntEnum", "IntFlag", "NamedTuple", "Protocol",
    "StrEnum", "TypedDict", "dict", "float", "frozenset", "int", "list", "object", "set", "str",
    "tuple",
}  # fmt: skip


@dataclass
class _State:
    """What is reached so far, by identity."""

    units: set[int] = field(default_factory=set)
    live: set[int] = field(default_factory=set)
    called: set[int] = field(default_factory=set)
    held: dict[int, Module] = field(default_factory=dict)
    handed: dict[int, Module] = field(default_factory=dict)
    listed: set[int] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    anywhere: set[str] = field(default_factory=set)
    any_method: bool = False
    any_owner: bool = False

    def copy(self) -> _State:
        return _State(
            set(self.units), set(self.live), set(self.called), dict(self.held), dict(self.handed),
            set(self.listed), set(self.attributes), set(self.anywhere), self.any_method,
            self.any_owner,
        )  # fmt: skip


class ReachedCode:
    """For one program."""

    def __init__(self, units: Iterable[int], entry: Module, others: frozenset[int]) -> None:
        """``units`` and ``others`` are what it reaches, and its modules, by identity."""
        # Hundreds of programs may each reach thousands: a set takes ten times as much.
        self._units = array("Q", sorted(units))
        self._entry = entry
        self._others = others

    def may_run(self, module: Module, offset: int) -> bool:
        """Whether the program may run what stands at a place of one of its modules."""
        if module is not self._entry and id(module) not in self._others:
            return False
        around = units_of(module).around(offset)
        return around is None or self._reaches(id(around))

    def _reaches(self, unit: int) -> bool:
        at = bisect_left(self._units, unit)
        return at < len(self._units) and self._units[at] == unit


# What so many programs load is kept for others that load the same.
_MOST_LOADED = 16


class Reaching:
    """What the programs of a project reach; what is the same for several is worked out once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._named = NamedCode(project)
        self._bases: dict[int, tuple[list[ClassUnit], bool]] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._keeping: dict[tuple[int, Decorator], bool] = {}
        self._loaded: dict[frozenset[int], _Together] = {}

    def of(self, entry: Module, modules: Sequence[Module], whole: bool) -> ReachedCode:
        """What a program of these modules may run, the entry script first. ``whole``: others call
        the functions of the script, by its name or by theirs."""
        # One that the others import is the same for all of them that are scripts, too.
        others = [m for m in modules if m is not entry or self._project.linked.is_imported(m.real)]
        key = frozenset(map(id, others))
        together = self._loaded.pop(key, None) or _Together(self, others)
        self._loaded[key] = together  # the last is that which was asked for last
        if len(self._loaded) > _MOST_LOADED:
            del self._loaded[next(iter(self._loaded))]
        return ReachedCode(together.run(entry, whole).units, entry, key)

    def meant(self, chain: Chain, module: Module) -> Meant:
        return self._named.of(chain, module)

    def exported(self, module: Module, name: str) -> Meant:
        return self._named.exported(module, name)

    def names_of(self, module: Module) -> frozenset[str]:
        """The names that a module may have, those of others among them where it takes all."""
        if id(module) not in self._names:
            names = {*module.scopes.module.bindings}
            if module.is_package:
                below = module.real.parent
                names |= {p.stem for p in self._paths if p.parent == below}
                names |= {p.parent.name for p in self._paths if p.parent.parent == below}
            for home in self._named.stars(module):
                names |= home.scopes.module.bindings.keys()
            self._names[id(module)] = frozenset(names)
        return self._names[id(module)]

    @cached_property
    def _paths(self) -> list[Path]:
        return [module.real for module in self._project.modules]

    def imported(self, module: Module, dotted: str) -> Module | None:
        return self._named.imported(module, dotted)

    def bases(self, cls: ClassUnit) -> tuple[list[ClassUnit], bool]:
        """The repository's classes that a class is derived from, and whether others may call any
        of its methods, or make instances, because of what else it is derived from."""
        if id(cls) not in self._bases:
            self._bases[id(cls)] = [], cls.has_metaclass  # classes derived from each other
            found: list[ClassUnit] = []
            foreign = cls.has_metaclass
            for chain in cls.bases:
                meant = self.meant(chain, cls.module) if chain else Meant()
                above = [one for one in meant.code if isinstance(one, ClassUnit)]
                found += above
                if not above and chain[-1:] and not _calls_nothing(chain[-1]):
                    foreign = True
                foreign = foreign or not chain
            foreign = foreign or any(self.bases(one)[1] for one in found)
            self._bases[id(cls)] = found, foreign
        return self._bases[id(cls)]

    def is_registered(self, cls: ClassUnit) -> bool:
        """Whether something else is given the class as soon as it is defined."""
        if any(self.keeps(one, cls.module) for one in cls.decorators):
            return True
        waiting, seen = [cls], set[int]()
        while waiting:
            current = waiting.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            above, _ = self.bases(current)
            if current.has_metaclass or any(
                method.name == "__init_subclass__" for one in above for method in one.methods
            ):
                return True
            waiting += above
        return False

    def keeps(self, decorator: Decorator, module: Module) -> bool:
        """Whether a decorator may call what it is given, or give it to others that do."""
        key = (id(module), decorator)
        if key not in self._keeping:
            self._keeping[key] = True  # decorated with itself
            meant = self.meant(decorator.chain, module) if decorator.chain else Meant()
            wraps = [
                one for one in meant.code
                if isinstance(one, Unit) and only_wraps(one, decorator.is_called)
            ]  # fmt: skip
            other = meant.attributes or meant.anywhere or meant.unknown
            self._keeping[key] = bool(other) or not wraps or len(wraps) < len(meant.code)
        return self._keeping[key]


def _calls_nothing(name: str) -> bool:
    return name in _CALL_NOTHING or name.endswith(("Error", "Exception", "Warning"))


class _Index:
    """The methods and classes of modules by their names, and the classes below each."""

    def __init__(self, reaching: Reaching, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.methods: defaultdict[str, list[Unit]] = defaultdict(list)
        self.inner: defaultdict[str, list[ClassUnit]] = defaultdict(list)
        self.below: defaultdict[int, list[ClassUnit]] = defaultdict(list)
        for cls in (cls for module in modules for cls in units_of(module).classes):
            for method in cls.methods:
                self.methods[method.name].append(method)
            if cls.owner is not None:
                self.inner[cls.name].append(cls)
            for base in reaching.bases(cls)[0]:
                self.below[id(base)].append(cls)


class _Together:
    """The modules that several programs load, and what is reached by that."""

    def __init__(self, reaching: Reaching, modules: Sequence[Module]) -> None:
        self._reaching = reaching
        self._index = _Index(reaching, modules)
        run = _Run(reaching, [self._index], _State())
        for module in modules:
            run.load(module)
        run.finish()
        self._state = run.state

    def run(self, entry: Module, whole: bool) -> _State:
        """What is reached where a script is run with them."""
        own = [] if entry in self._index.modules else [_Index(self._reaching, [entry])]
        run = _Run(self._reaching, [self._index, *own], self._state.copy())
        if own:
            run.load(entry)
        run.hear(units_of(entry).guarded, entry, None)
        if whole:
            run.define(entry)
        run.finish()
        return run.state


class _Run:
    """Follows what is said until nothing is new."""

    def __init__(self, reaching: Reaching, indexes: Sequence[_Index], state: _State) -> None:
        self._reaching, self._indexes, self.state = reaching, indexes, state
        # Not by recursion: modules import each other in long chains.
        self._waiting: list[Callable[[], None]] = []

    @property
    def _modules(self) -> Iterator[Module]:
        return (module for index in self._indexes for module in index.modules)

    def finish(self) -> None:
        while self._waiting:
            self._waiting.pop()()

    def load(self, module: Module) -> None:
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
            if self._reaching.is_registered(cls):
                self.live(cls)

    def _is_kept(self, unit: Unit) -> bool:
        return any(self._reaching.keeps(one, unit.module) for one in unit.decorators)

    def reach(self, unit: Unit) -> None:
        if id(unit) not in self.state.units:
            self.state.units.add(id(unit))
            self._waiting.append(lambda: self.hear(unit.said, unit.module, unit))

    def hear(self, said: Said, module: Module, unit: Unit | None) -> None:
        for chain in said.chains:
            self._take(self._reaching.meant(chain, module))
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
        if said.lists_classes:
            for other in self._modules:
                for cls in units_of(other).classes:
                    self.live(cls)
        if said.runs_files:
            for other in self._modules:
                self.dynamic_module(other)
                self.hear(units_of(other).guarded, other, None)

    def _take(self, meant: Meant) -> None:
        for one in meant.code:
            if isinstance(one, Unit):
                self.reach(one)
            else:
                self.live(one)
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
            for one in units_of(module).named.get(name, ()):
                if isinstance(one, Unit):
                    self.reach(one)
                else:
                    self.live(one)

    def attribute(self, name: str) -> None:
        """The attribute of what is not known."""
        if name in self.state.attributes:
            return
        self.state.attributes.add(name)
        for index in self._indexes:
            for method in index.methods.get(name, ()):
                if self.state.any_owner or id(method.owner) in self.state.live:
                    self.reach(method)
            for cls in index.inner.get(name, ()):
                self.live(cls)
        for module in [*self.state.held.values()]:
            if name in self._reaching.names_of(module):
                self._take_of(module, name)

    def _take_of(self, module: Module, name: str) -> None:
        self._take_held(self._reaching.exported(module, name))

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
        for name in self.state.attributes & self._reaching.names_of(module):
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
        above, foreign = self._reaching.bases(cls)
        called = called or foreign
        if id(cls) in self.state.live and (not called or id(cls) in self.state.called):
            return
        self.state.live.add(id(cls))
        if called:
            self.state.called.add(id(cls))
        every = called or self.state.any_method
        for method in cls.methods:
            if every or method.is_special or method.name in self.state.attributes or (
                self._is_kept(method)
            ):  # fmt: skip
                self.reach(method)
        self._waiting += (partial(self.live, base, called) for base in above)

    def _any_owner(self) -> None:
        """An instance may be of any class."""
        if not self.state.any_owner:
            self.state.any_owner = True
            said = self.state.attributes
            for index in self._indexes:
                for name in said & index.methods.keys():
                    for method in index.methods[name]:
                        self.reach(method)

    def _run_text(self, module: Module) -> None:
        """A text may say any name of the module, and those of the modules that it has."""
        self.dynamic_module(module)
        for name in self._reaching.names_of(module):
            for other in self._reaching.exported(module, name).modules:
                self.dynamic_module(other)

    def _is_table(self, chain: Chain, module: Module) -> bool:
        if not chain:
            return False
        meant = self._reaching.meant(chain, module)
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
            meant = self._reaching.meant(chain, module)
            self._take(meant)
            for other in meant.modules:
                self.dynamic_module(other)
            for one in meant.code:
                if isinstance(one, ClassUnit):
                    self._dynamic_family(one)
            if meant.unknown:
                self._any_method()

    def _dynamic_family(self, cls: ClassUnit) -> None:
        waiting, seen = [cls], set[int]()
        while waiting:
            current = waiting.pop()
            if id(current) not in seen:
                seen.add(id(current))
                for method in current.methods:
                    self.reach(method)
                waiting += self._reaching.bases(current)[0]
                for index in self._indexes:
                    waiting += index.below.get(id(current), ())

    def dynamic_module(self, module: Module) -> None:
        """Any name of a module may be meant."""
        if id(module) not in self.state.listed:
            self.state.listed.add(id(module))
            self._waiting.append(lambda: self._hear_listed(module))

    def _hear_listed(self, module: Module) -> None:
        self.define(module)
        for name in self._reaching.names_of(module):
            self._take_held(self._reaching.exported(module, name))
        if module.binding("__getattr__"):
            for name in units_of(module).texts:
                self._anywhere(name)
        self.hold(module)

    def define(self, module: Module) -> None:
        """All that a module defines may be used."""
        units = units_of(module)
        for cls in units.classes:
            self.live(cls)
        for unit in units.units:
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
            found = self._reaching.imported(module, dotted)
            if found is not None:
                self.hold(found)
            return
        for other in self._modules:
            self.hold(other)
