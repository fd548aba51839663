"""Public names: which objects they stand for, and which spelling of an object is the usual one."""

from __future__ import annotations

import importlib
import pkgutil
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from families import CONTRIB, HOROVOD, KERAS, V1, Families

# Modules that TF 2 has got since TF 1.15, under names of modules of TF 1; a test compares them all.
SINCE_TF_1 = ("tensorflow.profiler", "tensorflow.saved_model.experimental")
# Names of modules that are part of no public name, although they hang on a public module.
PRIVATE_PARTS = ("api", "kernels", "ops", "protobuf", "python", "src", "tests")


class Layout(NamedTuple):
    """How one library's modules are spelled."""

    library: str
    families: Families
    provenance: dict[str, str]
    trees: dict[str, Any]
    """Modules by the path under which they, and what is below them, are recorded."""
    twins: dict[str, tuple[Any, str]]
    """Other paths that hold the same things, each with its module and the tree it repeats."""
    by_hand: dict[str, str]
    """Module aliases that nothing installed can vouch for."""
    api_modules: tuple[str, ...]
    """Where the modules of public names are defined; whatever else hangs on one is imported."""
    bare_v1: bool = False
    """Whether ``tensorflow`` without ``compat`` holds what the tree of compat.v1 holds."""
    packages: tuple[str, ...] = ("tensorflow", "tensorflow_estimator", "tensorboard", "keras")
    """Top-level packages whose sources are read for marks."""


class Api(NamedTuple):
    """The public names, and what they stand for."""

    layout: Layout
    module_aliases: dict[str, str]
    class_names: dict[int, list[str]]  # by id; the spelling to use comes first
    function_names: dict[int, list[str]]
    objects: dict[int, Any]
    keys: dict[str, int]  # every spelling, with the id of its object

    def name(self, thing: Any) -> str | None:
        """Return the canonical name of a public class or function, and None for anything else."""
        names = self.class_names.get(id(thing)) or self.function_names.get(id(thing))
        return names[0] if names else None

    def get(self, name: str) -> Any:
        """Return what a public name stands for, whichever of its spellings this is, or None."""
        key = self.keys.get(respell(name, self.module_aliases))
        return None if key is None else self.objects[key]

    def find(self, name: str) -> Any:
        """Return what a public name stands for; stop where there is no such name."""
        found = self.get(name)
        if found is None:
            raise SystemExit(f"generate.py: this {self.layout.library} has no {name}")
        return found


def public_api(layout: Layout) -> Api:
    """Walk the public modules and group their names by the object that they stand for."""
    modules = {
        path: module
        for tree, top in layout.trees.items()
        for path, module in walk(tree, top, layout.api_modules, 2 if tree == CONTRIB else 9)
    }
    for twin, (module, tree) in layout.twins.items():
        check_same_classes(twin, module, tree, modules)

    same_trees = {twin: tree for twin, (_, tree) in layout.twins.items() if twin != tree}
    if layout.bare_v1:
        del same_trees["tensorflow"]
    aliases = {**same_trees, **layout.by_hand}
    if HOROVOD not in layout.trees:  # each of Horovod's names is a name of its own
        aliases.update(equal_modules(modules, aliases))
    objects: dict[int, Any] = {}
    class_names: dict[int, set[str]] = {}
    function_names: dict[int, set[str]] = {}
    for path, module in modules.items():
        for name, value in public_names(module):
            spelled = respell(f"{path}.{name}", aliases)
            if isinstance(value, type):
                class_names.setdefault(id(value), set()).add(spelled)
            elif callable(value) and not isinstance(value, types.ModuleType):
                function_names.setdefault(id(value), set()).add(spelled)
            objects[id(value)] = value
    classes = {key: order(names, objects[key]) for key, names in class_names.items()}
    functions = {key: order(names, objects[key]) for key, names in function_names.items()}
    if any(map(is_bare, layout.trees.values())) and HOROVOD not in layout.trees:
        aliases.update(inner_modules(modules))
        for table in (classes, functions):
            for names in table.values():
                names[1:] = [name for name in names[1:] if respell(name, aliases) == name]
    if layout.bare_v1:
        aliases.update(add_bare_names(modules, [classes, functions]))
    return Api(
        layout=layout,
        module_aliases=aliases,
        class_names=classes,
        function_names=functions,
        objects=objects,
        keys={
            name: key
            for table in (functions, classes)
            for key, names in table.items()
            for name in names
        },
    )


def spelled(layout: Layout) -> dict[str, Any]:
    """Return the public names of each module, modules among them, in one text for each module."""
    trees = dict(layout.trees)
    if HOROVOD in trees:
        # What it has for other libraries need not be installed, and is no part of these trees.
        above = importlib.import_module("horovod")
        trees = {"horovod.keras": importlib.import_module("horovod.keras"), **trees}
        names = {found.name for found in pkgutil.iter_modules(above.__path__) if found.ispkg}
        known = {"horovod": " ".join(sorted(name for name in names if name[0] != "_"))}
    else:
        known = {}
    for tree, top in trees.items():
        deepest = 2 if tree == CONTRIB else 9
        for path, module in walk(tree, top, layout.api_modules, deepest):
            known[path] = " ".join(name for name, _ in public_names(module))
    return {"provenance": layout.provenance, "modules": known}


def walk(
    path: str, module: Any, api_modules: tuple[str, ...], deepest: int, above: tuple[str, ...] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield the public modules under one, with their paths; the `compat` nests are left out."""
    yield path, module
    above = (*above, module.__name__)
    for name, value in public_names(module):
        if (
            isinstance(value, types.ModuleType)
            and deepest > 0
            and f"{value.__name__}.".startswith(api_modules)
            and name not in PRIVATE_PARTS
            and path != f"{KERAS}.backend"
            and (not is_bare(module) or value.__name__ == f"{module.__name__}.{name}")
            and value.__name__ not in above  # the lazy loaders lead back to where they started
            and not (path.endswith(".compat") and name in ("v1", "v2"))
            and not (path == "tensorflow" and name == "contrib")
        ):
            yield from walk(f"{path}.{name}", value, api_modules, deepest - 1, above)


def public_names(module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a module that do not begin with an underscore, in order."""
    for name in sorted(dir(module)):
        if not name.startswith("_"):
            try:
                value = getattr(module, name)
            except (AttributeError, ImportError):  # a lazy loader whose target is not installed
                continue
            if not is_foreign(module, value) and not isinstance(value, type(annotations)):
                yield name, value


def is_bare(module: Any) -> bool:
    """Tell whether a module's public names are whatever it happens to import."""
    name = module.__name__
    return name.partition(".")[0] in ("keras", "horovod") and not name.startswith("keras.api.")


def is_foreign(module: Any, value: Any) -> bool:
    """Tell whether a bare module merely imported a value from another library."""
    if not is_bare(module):
        return False
    home = value.__name__ if isinstance(value, types.ModuleType) else value
    home = home if isinstance(home, str) else getattr(home, "__module__", None) or ""
    own = (f"{module.__name__.partition('.')[0]}.", "keras_preprocessing.", "keras_applications.")
    return not f"{home}.".startswith(own)


def check_same_classes(twin: str, module: Any, tree: str, modules: Mapping[str, Any]) -> None:
    """Stop if a tree that counts as an alias holds a class that the other has under no such name.

    Classes only: many operations are wrapped once more on their way into each tree.
    """
    for path, other in modules.items():
        inside = f"{path}.".startswith(f"{tree}.") and (
            tree == V1 or not path.startswith((V1, CONTRIB))
        )
        if not inside:
            continue
        same = module
        for part in path[len(tree) + 1 :].split("."):
            same = getattr(same, part, None) if part else same
        for name, value in public_names(same) if same is not None else ():
            if isinstance(value, type) and getattr(other, name, None) is not value:
                raise SystemExit(f"generate.py: {twin} is no alias: {path}.{name} differs")


def equal_modules(modules: Mapping[str, Any], aliases: dict[str, str]) -> dict[str, str]:
    """Pair the modules of one tree that hold the same things, as tf.losses and tf.keras.losses.

    A pair that follows from the pair of their parents is left out.
    """
    groups: dict[tuple[bool, frozenset[tuple[str, int]]], list[str]] = {}
    for path, module in modules.items():
        content = frozenset(
            (name, id(value))
            for name, value in public_names(module)
            if not isinstance(value, types.ModuleType)
        )
        if content:
            groups.setdefault((path.startswith(V1), content), []).append(path)
    found: dict[str, str] = {}
    for paths in groups.values():
        first = min(
            paths,
            key=lambda path: (
                path.startswith(CONTRIB),
                ".keras" not in path,
                path.count("."),
                path,
            ),
        )
        found.update({path: first for path in paths if path != first})
    for path in sorted(found, key=len, reverse=True):
        others = {key: value for key, value in {**aliases, **found}.items() if key != path}
        if respell(path, others) == respell(found[path], others):
            del found[path]
    return {path: respell(target, found) for path, target in found.items()}


def add_bare_names(
    modules: Mapping[str, Any], tables: Iterable[dict[int, list[str]]]
) -> dict[str, str]:
    """Add the names that a program of TF 1 writes without ``compat.v1``.

    Only those that TF 2 has given to nothing else: its ``tensorflow.data.Dataset`` is another
    class. Return the modules that TF 2 has lost as aliases; of all others, names are added one by
    one to the tables, as last spellings of their objects.
    """
    aliases: dict[str, str] = {}
    added: dict[int, list[str]] = {}
    for path, module in modules.items():
        if not f"{path}.".startswith(f"{V1}."):
            continue
        bare = "tensorflow" + path[len(V1) :]
        if bare in modules or bare in SINCE_TF_1:
            for name, value in public_names(module):
                if not hasattr(modules.get(bare), name) and not isinstance(value, types.ModuleType):
                    added.setdefault(id(value), []).append(f"{bare}.{name}")
        elif respell(bare, aliases) == bare:
            aliases[bare] = path
    for table in tables:
        for key in table:
            table[key] += [name for name in added.get(key, ()) if name not in table[key]]
    return aliases


def inner_modules(modules: Mapping[str, Any]) -> dict[str, str]:
    """Return modules of which the package has all that they define, as keras.layers.core."""
    found = {}
    for path, module in modules.items():
        package = modules.get(path.rpartition(".")[0])
        defined = [
            (name, value)
            for name, value in public_names(module)
            if getattr(value, "__module__", None) == module.__name__
        ]
        if package is not None and defined:
            if all(getattr(package, name, None) is value for name, value in defined):
                found[path] = path.rpartition(".")[0]
    return found


def respell(name: str, aliases: Mapping[str, str]) -> str:
    """Apply module aliases, the longest first, until none applies."""
    for _ in range(20):
        parts = name.split(".")
        for end in range(len(parts), 0, -1):
            target = aliases.get(".".join(parts[:end]))
            if target is not None:
                name = ".".join([target, *parts[end:]])
                break
        else:
            return name
    raise SystemExit(f"generate.py: the module aliases go round in circles at {name}")


def order(names: Iterable[str], thing: Any) -> list[str]:
    """Sort the names of one object so that the one most people write comes first."""
    home = getattr(thing, "__module__", None) or ""
    own = getattr(thing, "__name__", "")

    def rank(name: str) -> tuple[Any, ...]:
        parts = name.split(".")
        passed_on = name.startswith("tensorflow.estimator.") and not home.startswith(
            "tensorflow_estimator"
        )
        return (
            name.startswith(CONTRIB),
            name.startswith(f"{CONTRIB}.slim."),  # has most of contrib.layers and .framework too
            2 if passed_on else int(name.startswith(V1)),
            "experimental" in parts,
            name.startswith(f"{KERAS}.engine."),
            len(parts),
            parts[-1] != own,
            "models" not in parts,
            len(name),
            name,
        )

    return sorted(names, key=rank)
