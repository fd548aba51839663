"""harmless: calls that may run before the start code of a program as well as behind it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from fissix.pgen2 import token
from fissix.pygram import python_symbols as symbols

from pinsetter.analyzer.effects.effect_analysis import Effects
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.library.declared import declared
from pinsetter.analyzer.names.definition import Definition, class_arguments
from pinsetter.analyzer.names.module import Module
from pinsetter.analyzer.programs.entry import COMMANDS
from pinsetter.analyzer.syntax.tree import (
    LN,
    Call,
    Expression,
    is_name,
    is_variable,
    leaves,
    outer_call,
    plain_string,
    walk,
)
from pinsetter.analyzer.values.questions import sources

# What they may call: it neither makes variables nor prints, and no rule changes it.
_HARMLESS = {
    f"builtins.{name}" for name in ("property", "classmethod", "staticmethod", "super", "object")
} | {
    "sys.path.append", "sys.path.insert", "os.listdir", "os.walk", "os.scandir",
    "os.environ.setdefault", "os.environ.update", "os.environ.pop", "importlib.util.find_spec",
    "importlib.resources.files", "importlib.metadata.version", "importlib.metadata.metadata",
} | COMMANDS  # fmt: skip
# They run other code, or write what rules let one worker write.
_DANGEROUS = {
    "os", "sys", "subprocess", "threading", "multiprocessing", "builtins", "importlib",
    "runpy", "asyncio", "concurrent", "shutil", "tempfile", "socket", "urllib", "http", "sqlite3",
    "atexit", "signal", "ctypes",
}  # fmt: skip
_OPENERS = {"builtins.open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open"}
# Methods of lists, dictionaries, sets, texts and files, of which nothing else is known.
_PLAIN_METHODS = {
    "append", "extend", "insert", "update", "add", "setdefault", "pop", "popitem", "popleft",
    "read", "readline", "readlines", "splitlines", "rsplit", "partition", "rpartition", "title",
    "setLevel", "setFormatter", "addHandler", "addFilter", "digest", "hexdigest",
}  # fmt: skip
# What rules may leave to one worker, or what acts outside the program, is called so, whatever
# library has it.
_WRITERS = (
    "save", "dump", "write", "show", "remove", "delete", "unlink", "rename", "mkdir", "makedirs",
    "touch", "send", "start", "run", "exec", "spawn", "download",
)  # fmt: skip
# What calls the functions that it is given, of modules that else do not.
_CALLERS = {
    "builtins.map", "builtins.filter", "builtins.sorted", "builtins.min", "builtins.max",
    "builtins.iter", "functools.reduce",
}  # fmt: skip
_KEEPERS = {
    "builtins", "functools", "inspect", "typing", "typing_extensions", "dataclasses", "warnings",
    "logging", "enum", "abc", "pydantic", "click",
}  # fmt: skip
# What they give makes instances of what has no code of its own.
_RECORDS = {"collections.namedtuple", "typing.NamedTuple", "typing.NewType", "typing.TypeVar"}
_SHOWN = {"writes", "prints"}
_MAKES = ("__new__", "__init__", "__post_init__")
# Through so many functions of the repository a call is followed.
_FAR = 40
# Of so many calls in a row each is asked what it is called on.
_DEEP = 20


class Harmless:
    """What of one project neither makes variables nor prints, and is changed by no rule: it only
    computes, or reads a file, and that without the domain's library; so do the repository's
    functions that it calls."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._evaluator = facts.evaluator
        self._insides: dict[str, list[tuple[Call, Module, bool]] | None] = {}

    def call(self, call: Call, module: Module, decorates: bool = False) -> bool:
        """Whether a call is so, with all that it calls; one that ``decorates`` something does not
        call that."""
        seen: set[str] = set()
        waiting = [(call, module, decorates)]
        while waiting:
            call, module, decorates = waiting.pop()
            found = self._called(call, module)
            if found is None:
                return False
            if not decorates and self._may_call(call, module):
                given = self._handed_on(call, module)
                if given is None:
                    return False
                found = [*found, *given]
                waiting += ((inner, module, False) for inner in _calls_of_lambdas(call, module))
            inner = self._inside(found, seen)
            if inner is None:
                return False
            waiting += inner
        return True

    def decorator(self, function: Definition) -> bool:
        """The same of a function of the repository that decorates something by its name alone."""
        if not self._is_plain(function, decorates=True):
            return False
        return all(self.call(inner, function.module) for inner in calls_in(function, True))

    def _inside(
        self, functions: Iterable[Definition], seen: set[str]
    ) -> list[tuple[Call, Module, bool]] | None:
        """The calls in functions that were not ``seen``; None if one does something else."""
        found: list[tuple[Call, Module, bool]] = []
        for function in functions:
            if function.name in seen:
                continue
            seen.add(function.name)
            if function.name not in self._insides:
                calls = ((inner, function.module, False) for inner in calls_in(function))
                self._insides[function.name] = list(calls) if self._is_plain(function) else None
            inside = self._insides[function.name]
            if len(seen) > _FAR or inside is None:
                return None
            found += inside
        return found

    def of_library(self, call: Call, module: Module) -> bool:
        """Whether a call is so, and runs nothing of the repository."""
        return self._is_given_no_code(call, module) and self._called(call, module) == []

    def _is_given_no_code(self, call: Call, module: Module) -> bool:
        return self._handed_on(call, module) == [] and not any(_calls_of_lambdas(call, module))

    def _called(self, call: Call, module: Module) -> list[Definition] | None:
        """The repository's functions that a call runs itself; None if it may do something."""
        names = self._evaluator.names(call.callee, module)
        definitions = self._evaluator.definitions
        # What the repository's own functions do is looked at by itself.
        is_own = bool(names) and names <= definitions.keys()
        effects = Effects() if is_own else self._facts.effects.of_call(call, module)
        if not names and effects != Effects() and call.method not in _PLAIN_METHODS:
            if self._is_of_library(call, module) or self._is_record(call, module):
                return []
            return self._private(call, module) or None
        found: list[Definition] = []
        for name in names:
            definition = definitions.get(name)
            if definition is None:
                if not self._is_harmless_name(name, call, effects):
                    return None
            elif definition.scope.kind == "class":
                made = self._made_by(definition)
                if made is None:
                    return None
                found += made
            else:
                found.append(definition)
        return found

    def _private(self, call: Call, module: Module) -> list[Definition]:
        """The methods of the classes of a module that a call of a private method may mean."""
        method = call.method or ""
        if not method.startswith("_") or method.startswith("__"):
            return []
        scopes = (scope for scope in module.scopes if scope.kind == "class")
        names = (f"{module.name}.{scope.qualified_name}.{method}" for scope in scopes)
        return [d for name in names if (d := self._evaluator.definitions.get(name)) is not None]

    def _is_harmless_name(self, name: str, call: Call, effects: Effects) -> bool:
        package = name.partition(".")[0]
        if package in declared().packages:
            return ".__version__." in name or _is_among(name, declared().inert)
        if name in _OPENERS:
            return _reads(call)
        if name in _HARMLESS:
            return True
        if package in sys.stdlib_module_names - _DANGEROUS or _is_among(name, declared().apart):
            return not effects.kinds & _SHOWN and not _may_write(name)
        return effects == Effects() or self._is_command(name)

    def _is_command(self, name: str) -> bool:
        """Whether it is a method of what a command of the repository is, by its decorator."""
        owner = self._evaluator.definitions.get(name.rpartition(".")[0])
        if owner is None or owner.scope.kind != "function":
            return False
        around = self._evaluator.decorated_with(owner.scope.node, owner.module)
        return bool(around) and around[0][0].names <= COMMANDS and bool(around[0][0].names)

    def _is_of_library(self, call: Call, module: Module, far: int = 0) -> bool:
        """Whether it calls what a harmless call of a library gives, or a method of that."""
        if _may_write(call.method or "") or far > _DEEP:
            return False
        inner: Expression = call.receiver if call.method else call.callee
        while inner and outer_call(inner) is None and len(inner) > 1:
            inner = inner[:-1]
        made = list(sources(inner, module, self._evaluator)) if inner else []
        return bool(made) and all(self._is_made_by_library(*place, far + 1) for place in made)

    def _is_made_by_library(self, source: Expression, module: Module, far: int) -> bool:
        call = outer_call(source)
        if call is None:
            return False
        names = self._evaluator.names(call.callee, module)
        if not names:
            return self._is_of_library(call, module, far)
        # What functions of the repository give is among the sources.
        if names <= self._evaluator.definitions.keys():
            return True
        return self._is_given_no_code(call, module) and all(
            name in _HARMLESS
            or name.partition(".")[0] in sys.stdlib_module_names - _DANGEROUS
            or _is_among(name, declared().apart)
            for name in names
        )

    def _is_record(self, call: Call, module: Module) -> bool:
        """Whether it makes an instance of a class that its module has from ``namedtuple()``."""
        callee = call.callee
        bound = module.scope_of(callee[0]).lookup(callee[0].value) if is_name(callee[0]) else []
        if len(callee) > 1 or len(bound) != 1 or bound[0].kind != "assign" or bound[0].element:
            return False
        made = outer_call(bound[0].value)
        return made is not None and bool(self._evaluator.names(made.callee, module) & _RECORDS)

    def _may_call(self, call: Call, module: Module) -> bool:
        """Whether a call of a library may call what it is given; what functions of the repository
        do with it is looked at there."""
        names = self._evaluator.names(call.callee, module)
        own = self._evaluator.definitions.keys()
        if not names and (call.method in _PLAIN_METHODS or self._is_record(call, module)):
            return False
        return not names or not all(
            name in own or (name.partition(".")[0] in _KEEPERS and name not in _CALLERS)
            for name in names
        )

    def _made_by(self, definition: Definition) -> list[Definition] | None:
        """The repository's functions that making an instance of a class runs; None if something
        else may happen: it derives from what is not known, or its module trains, for what the
        instance holds may be changed there."""
        hierarchy = self._evaluator.hierarchy
        found: list[Definition] = []
        for name in hierarchy.ancestors(definition.name):
            own = self._evaluator.definitions.get(name)
            if own is None:
                package = name.partition(".")[0]
                if package in sys.stdlib_module_names or _is_among(name, declared().apart):
                    continue
                return None
            if own.scope.kind != "class" or self._is_replaced(own) or _has_metaclass(own):
                return None
            if not hierarchy.is_closed(name) and not self._derives_apart(own):
                return None
            if self._facts.programs.steps_in(own.module):
                return None
            methods = (f"{name}.{method}" for method in _MAKES)
            found += [
                self._evaluator.definitions[method]
                for method in methods
                if method in self._evaluator.definitions
            ]
        return found

    def _derives_apart(self, definition: Definition) -> bool:
        """Whether all bases of a class are of the repository, of Python or of packages that are
        known to have nothing to do with a domain."""
        for one in class_arguments(definition.scope.node):
            if one.name is not None:
                continue
            names = self._evaluator.names((one.node,), definition.module)
            if not names or not all(
                name in self._evaluator.definitions
                or name.partition(".")[0] in sys.stdlib_module_names
                or _is_among(name, declared().apart)
                for name in names
            ):
                return False
        return True

    def _is_plain(self, function: Definition, decorates: bool = False) -> bool:
        """Whether a function is what it says, and nothing but what it calls can matter in it."""
        if self._is_replaced(function):
            return False
        module = function.module
        running = run_by(function, decorates)
        inside = {id(node) for node in running}
        imports = (target for node, target in module.imports if id(node) in inside)
        if any(self._facts.project.imported(module, target) for target in imports):
            return False
        return not any(changes(node, module, self._facts) for node in running)

    def _is_replaced(self, definition: Definition) -> bool:
        """Whether a decorator of the repository, or an unknown one, may put another in its place;
        a command runs others."""
        around = self._evaluator.decorated_with(definition.scope.node, definition.module)
        own = self._evaluator.definitions.keys()
        return any(not v.names or v.names & own or v.names & COMMANDS for v, _ in around)

    def _handed_on(self, call: Call, module: Module) -> list[Definition] | None:
        """The repository's functions that a call is given, and may call; None if it is given what
        may do something, as functions of a domain's library."""
        found: list[Definition] = []
        for argument in call.arguments:
            for node in (argument.node, *walk(argument.node)):
                if node.type == symbols.power or (is_name(node) and _is_alone(node)):
                    for value in self._evaluator.evaluate((node,), module).items:
                        run = [] if value.instance else self._run_by_calling(value.name)
                        if run is None:
                            return None
                        found += run
        return found

    def _run_by_calling(self, name: str) -> list[Definition] | None:
        definition = self._evaluator.definitions.get(name)
        if definition is not None:
            is_class = definition.scope.kind == "class"
            return self._made_by(definition) if is_class else [definition]
        package, _, rest = name.partition(".")
        harmless = not rest or rest.startswith("__") or _is_among(name, declared().inert)
        return None if package in declared().packages and not harmless else []


def changes(node: LN, module: Module, facts: Facts) -> bool:
    """Whether a node does something besides what it calls, or is what a rule may change."""
    # What a `for` runs are calls, which are looked at with the others.
    if node.type in (symbols.while_stmt, symbols.exec_stmt, symbols.del_stmt, symbols.print_stmt):
        return True
    if node.type == symbols.with_stmt:
        return not all(_is_call(item) for item in node.children[1:-2:2])
    if node.type == symbols.expr_stmt:
        return any(_is_library_s(target, module, facts) for target in node.children[:-1:2])
    return False


def _is_alone(leaf: LN) -> bool:
    """Whether a name is read, and nothing of it."""
    return is_variable(leaf) and not (
        leaf.parent.type == symbols.power and leaf.parent.children[0] is leaf
    )


def _calls_of_lambdas(call: Call, module: Module) -> Iterator[Call]:
    """What the lambdas call that a call is given."""
    made = [
        part
        for argument in call.arguments
        for part in walk(argument.node)
        if part.type == symbols.lambdef
    ]
    if made:
        inside = {id(node) for one in made for node in walk(one)}
        yield from (inner for inner in module.tree.calls if id(inner.trailer) in inside)


def calls_in(function: Definition, decorates: bool = False) -> list[Call]:
    """What a function calls, where it runs."""
    inside = {id(node) for node in run_by(function, decorates)}
    return [call for call in function.module.tree.calls if id(call.trailer) in inside]


def run_by(function: Definition, decorates: bool = False) -> list[LN]:
    """What may run when a function is called, and what it gives, or it itself, ``decorates``
    something: not what stands instead of that then, a function that a function does nothing with
    but return or keep it, nor what only such functions use."""
    body = function.scope.node
    inside = [
        (inner, decorates or made is not body)
        for made in walk(body)
        if made.type == symbols.funcdef
        for inner in walk(made)
        if inner.type == symbols.funcdef and inner is not made
    ]
    later: set[int] = set()
    grows = True
    while grows:
        before = len(later)
        for inner, may_give in inside:
            if id(inner) not in later and _is_kept(inner, body, later, may_give):
                later.update(map(id, walk(inner)))
        grows = len(later) > before
    return [node for node in walk(body) if id(node) not in later]


def _is_library_s(target: LN, module: Module, facts: Facts) -> bool:
    """Whether a target is an attribute, or item, of what may be of a domain's library, as the rate
    of an optimizer; its value is what a rule may change."""
    if target.type != symbols.power:
        return False
    owner = tuple(target.children[:-1])
    names = facts.evaluator.names(owner, module)
    return any(name.partition(".")[0] in declared().packages for name in names)


def _is_call(item: LN) -> bool:
    """Whether what a ``with`` enters is a call, which is looked at with the others."""
    entered = item.children[0] if item.type == symbols.with_item else item
    return outer_call((entered,)) is not None


def _is_kept(inner: LN, outer: LN, later: set[int], may_give: bool) -> bool:
    """Whether all that a function does with one in it, but for what runs ``later``, is to return
    it, where it ``may_give`` it away, to keep it somewhere, or to set attributes of it."""
    name = inner.children[1]
    own = {id(node) for node in walk(inner)}
    named = (
        leaf
        for leaf in leaves(outer)
        if leaf.value == name.value and id(leaf) not in own and id(leaf) not in later
    )
    return all(may_give and (_is_given(leaf) or _is_set(leaf)) for leaf in named)


def _is_given(leaf: LN) -> bool:
    """Whether a name is returned, or kept as an attribute or item."""
    statement = leaf.parent
    if statement.type == symbols.expr_stmt and statement.children[-1] is leaf:
        return all(target.type == symbols.power for target in statement.children[:-1:2])
    return bool(statement.type == symbols.return_stmt)


def _is_set(leaf: LN) -> bool:
    """Whether a name stands in ``name.attribute = …``."""
    power = leaf.parent
    statement = power.parent
    return (
        power.type == symbols.power
        and power.children[0] is leaf
        and len(power.children) == 2
        and statement.type == symbols.expr_stmt
        and statement.children[0] is power
        and statement.children[1].type == token.EQUAL
    )


def _reads(call: Call) -> bool:
    """Whether it opens a file for reading."""
    mode = call.argument("mode", 1)
    if mode is None:
        return len(call.arguments) == 1 and not call.arguments[0].star
    return plain_string(mode.value) in ("r", "rb", "rt")


def _is_among(name: str, known: Iterable[str]) -> bool:
    """Whether a name is one of those that are known, or of a package that is; a dot at the end
    stands for all that begins so."""
    parts = name.split(".")
    return any(".".join(parts[: n + 1]) in known for n in range(len(parts))) or any(
        name.startswith(one) for one in known if one.endswith(".")
    )


def _may_write(name: str) -> bool:
    last = name.rpartition(".")[2].lower()
    return any(word in last for word in _WRITERS)


def _has_metaclass(definition: Definition) -> bool:
    return any(one.name == "metaclass" for one in class_arguments(definition.scope.node))
