"""What calling a function does besides giving a value, read off the library's sources.

A function has the marks of the primitives that it reaches: kernels and functions of Python that do
the thing itself. A mark says that a call may do it; a callback that prints only if it is verbose is
marked.
"""

from __future__ import annotations

import ast
import importlib
import types
from collections.abc import Container, Iterator
from typing import Any

from families import V1
from recorded_classes import mro
from recorded_names import Api
from source_reading import UNKNOWN, Called, Code, calls, method, plain

DEPTH = 9

TF_1_WRITES = {
    "CopyFile",
    "CreateDir",
    "CreateWritableFile",
    "DeleteFile",
    "DeleteRecursively",
    "EventsWriter",
    "PyRecordWriter_New",
    "RecursivelyCreateDir",
    "RenameFile",
}
# Kernels and functions by the last part of the module that defines them; a star stands for all.
PRIMITIVES = {
    "writes": {
        "gen_io_ops": {"merge_v2_checkpoints", "save", "save_slices", "save_v2", "write_file"},
        "gen_dataset_ops": {
            "save_dataset",
            "save_dataset_v2",
            "snapshot_dataset",
            "snapshot_dataset_v2",
        },
        "gen_summary_ops": {
            "create_summary_db_writer",
            "create_summary_file_writer",
            "flush_summary_writer",
            "import_event",
            "write_audio_summary",
            "write_graph_summary",
            "write_histogram_summary",
            "write_image_summary",
            "write_raw_proto_summary",
            "write_scalar_summary",
            "write_summary",
        },
        "_pywrap_file_io": {
            "CopyFile",
            "CreateDir",
            "DeleteFile",
            "DeleteRecursively",
            "RecursivelyCreateDir",
            "RenameFile",
            "WritableFile",
        },
        "_pywrap_events_writer": {"*"},
        "_pywrap_record_io": {"RecordWriter"},
        "pywrap_tensorflow_internal": TF_1_WRITES,
        "_pywrap_tensorflow_internal": TF_1_WRITES,
        "posix": {"mkdir", "remove", "rename", "replace", "rmdir", "unlink"},
        "os": {"makedirs"},
        "shutil": {"copy", "copyfile", "copytree", "move", "rmtree"},
    },
    "prints": {
        "builtins": {"print"},
        "gen_logging_ops": {"_print", "print", "print_v2"},
    },
    "random": {
        "gen_random_ops": {"*"},
        "gen_stateful_random_ops": {"*"},
        "random_seed": {"get_seed"},
        "numpy.random": {"*"},
    },
    "collective": {
        "gen_collective_ops": {"*"},
        "gen_nccl_ops": {"*"},
    },
}

# Modules that are meant by their whole name.
EXACT = ("builtins", "numpy.random", "os", "posix", "shutil")
# Classes that open a file: what they do depends on the mode.
FILES = ("FileIO", "GFile", "FastGFile", "File")

# Methods whose receiver the sources do not tell: the object was handed in.
METHODS = {
    "_create_slots": "creates_variables",
    "add_event": "writes",
    "add_variable": "creates_variables",
    "add_weight": "creates_variables",
    "get_variable": "creates_variables",
    "save_weights": "writes",
    "writerow": "writes",
}
# Of Horovod's own library (C functions and kernels) those in which all workers take part.
COLLECTIVES = (
    "allgather",
    "allreduce",
    "alltoall",
    "barrier",
    "broadcast",
    "init",
    "join",
    "process_set",
    "reducescatter",
    "shutdown",
)
# By hand: these hand the work to an object that only a running strategy knows. Each must exist.
BY_HAND = {
    "collective": (
        "tensorflow.distribute.ReplicaContext.all_gather",
        "tensorflow.distribute.ReplicaContext.all_reduce",
        "tensorflow.distribute.ReplicaContext.merge_call",
        "tensorflow.distribute.Strategy.gather",
        "tensorflow.distribute.Strategy.reduce",
    ),
}
# Methods that the framework calls, so that what they do is done by having the object.
CALLED_BY_FRAMEWORK = {
    "tensorflow.keras.callbacks.Callback": ("on_", "set_", "_on_", "_set_"),
    f"{V1}.train.SessionRunHook": ("begin", "after_", "before_", "end"),
    "tensorflow.keras.layers.Layer": ("build", "call"),
    "tensorflow.Module": (),
}
# A function that makes one of these makes the framework call it.
HOOKS = (
    "tensorflow.keras.callbacks.Callback",
    "tensorflow.keras.layers.Layer",
    f"{V1}.train.SessionRunHook",
)
# Not looked into: what all calls pass through on their way. Last parts of module names.
INFRASTRUCTURE = {
    "backprop",
    "context",
    "def_function",
    "deprecation",
    "dispatch",
    "distribute_lib",
    "execute",
    "function",
    "loss_scale",
    "monitoring",
    "ops",
    "policy",
    "session",
    "tf_decorator",
    "tf_logging",
    "tf_stack",
    "traceback_utils",
}
# Functions that are not looked into; they have marks of their own where they are public. What is
# downloaded once into a cache is nothing that the caller writes; what a saver builds is a graph.
CLOSED = {"_build_internal", "get_file"}
# Functions that read. What they write is a temporary copy; `tell` also serves files to be written.
READS = {"load_model", "load_weights", "tell"}
CALL = ast.Call(ast.Name("f", ast.Load()), [], [])  # one without arguments
LOGGERS = ("tf_logging",)
LEVELS = {"debug", "error", "fatal", "info", "log", "vlog", "warn", "warning", "log_every_n"}


def mark_facts(
    api: Api, classes: dict[str, Any], functions: dict[str, Any]
) -> dict[str, list[str]]:
    """Return the marks of functions, classes and ``Class.method``, of those that have any.

    A method that a class inherits is recorded with the nearest recorded class that has it. What
    comes from a private class is left out if it but creates variables: that says its layer's mark.
    """
    reader = Reader(api)
    facts: dict[str, set[str]] = {}
    for name in functions:
        facts[name] = reader.of_function(api.find(name))
    recorded = {api.find(name): name for name in classes}
    for kind, name in recorded.items():
        facts[name] = reader.of_class(kind)
        for attribute, function in own_methods(kind, recorded):
            found = reader.of(Code(function, kind))
            if attribute in vars(kind) or found != {"creates_variables"}:
                facts[f"{name}.{attribute}"] = found
    for name in facts:
        if name.rpartition(".")[2] in READS:
            facts[name] = facts[name] - {"writes"}
    if api.layout.library == "tensorflow":
        facts.update(raw_operations(api))
        for mark, methods in BY_HAND.items():
            for name in methods:
                owner, _, attribute = name.rpartition(".")
                if hasattr(api.find(owner), attribute):
                    facts.setdefault(f"{api.name(api.find(owner))}.{attribute}", set()).add(mark)
    if api.layout.library == "horovod":
        for key, names in api.class_names.items():
            for name in names:
                facts[name] = reader.of_class(api.objects[key])
        facts = {name: found & {"collective"} for name, found in facts.items()}
    return {name: sorted(found) for name, found in facts.items() if found}


def own_methods(kind: type, recorded: Container[type]) -> Iterator[tuple[str, Any]]:
    """Yield the public methods that no recorded ancestor of a class has."""
    for name in sorted(dir(kind)):
        home = next((item for item in mro(kind) if name in vars(item)), None)
        if not name.startswith("_") and (home is kind or home not in recorded):
            function = method(kind, name)
            if function is not None:
                yield name, function


def raw_operations(api: Api) -> dict[str, set[str]]:
    """Return the kernels in which several workers take part, as tf.raw_ops names them."""
    found = {}
    for names in api.function_names.values():
        owner, _, operation = names[0].rpartition(".")
        if owner == "tensorflow.raw_ops" and operation.startswith(("Collective", "Nccl")):
            found[names[0]] = {"collective"}
    return found


class Reader:
    """Follows calls from a function to the primitives."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.variable = api.get("tensorflow.Variable")
        self.visited: dict[Code, tuple[set[str], list[Code]]] = {}
        self.framework_hook = api.get(f"{V1}.train.SessionRunHook")
        self.hooks = [api.get(name) for name in HOOKS]
        self.framework = {api.get(name): starts for name, starts in CALLED_BY_FRAMEWORK.items()}
        if api.layout.library == "horovod":
            self.framework = {named(name): starts for name, starts in CALLED_BY_FRAMEWORK.items()}

    def of_function(self, function: Any) -> set[str]:
        """Return the marks of a public function."""
        own = plain(function)
        target = Called(own, getattr(own, "__name__", ""), CALL, None)
        owner = type(function.__self__) if isinstance(function, types.MethodType) else None
        return self.primitive(target) | self.of(Code(own, owner)) | self.of_logger(own)

    def of_class(self, kind: type) -> set[str]:
        """Return what making an instance does, and the methods that the framework calls."""
        found: set[str] = set()
        for ancestor in mro(kind):
            found |= self.primitive(Called(ancestor, ancestor.__name__, CALL, None))
        for code in self.lifecycle(kind):
            found |= self.of(code)
        return found

    def lifecycle(self, kind: type) -> list[Code]:
        """Return the constructor of a class and the methods that the framework calls."""
        starts: tuple[str, ...] = ("__init__",)
        starts += next((self.framework[item] for item in mro(kind) if item in self.framework), ())
        names = [name for name in sorted(dir(kind)) if name.startswith(starts)]
        functions = [(name, method(kind, name)) for name in names]
        return [Code(function, kind) for _, function in functions if function is not None]

    def of_logger(self, function: Any) -> set[str]:
        """Return the mark of TensorFlow's logging.

        It counts only where it is called itself, and in hooks, which exist to log: nearly all else
        logs a warning somewhere.
        """
        home = (getattr(function, "__module__", None) or "").rpartition(".")[2]
        if home in LOGGERS and getattr(function, "__name__", "") in LEVELS:
            return {"prints"}
        return set()

    def of(self, code: Code) -> set[str]:
        """Return the marks of all primitives that are reached from a function."""
        found: set[str] = set()
        seen = {code}
        front = [code]
        for _ in range(DEPTH):
            following: list[Code] = []
            for item in front:
                marks, steps = self.at(item)
                found |= marks
                following += [step for step in steps if step not in seen]
                seen.update(steps)
            front = following
        return found

    def at(self, code: Code) -> tuple[set[str], list[Code]]:
        """Return the marks of the calls in a function itself, and the functions that they enter."""
        if code not in self.visited:
            called = list(calls(code))
            marks = {mark for item in called for mark in self.primitive(item)}
            if code.owner is not None and self.framework_hook in mro(code.owner):
                for item in called:
                    if item.name in ("info", "log"):
                        marks |= self.of_logger(plain(item.target))
            steps = dict.fromkeys(step for item in called for step in self.steps(item))
            self.visited[code] = (marks, list(steps))
        return self.visited[code]

    def steps(self, called: Called) -> list[Code]:
        """Return the functions that a call enters, if they are to be looked into."""
        target = called.target
        if target is UNKNOWN:
            return []
        if isinstance(target, type):
            if self.variable in mro(target) or target.__name__ in FILES:
                return []
            made = method(target, "__init__")
            found = [] if made is None else [Code(made, target)]
            if any(root in mro(target) for root in self.hooks):
                found = self.lifecycle(target)
        else:
            function = plain(target)
            found = (
                [Code(function, called.owner)] if isinstance(function, types.FunctionType) else []
            )
        return [code for code in found if self.is_open(code.function)]

    def is_open(self, function: Any) -> bool:
        """Tell whether to look into a function: the library's own, and no infrastructure."""
        parts = (function.__module__ or "").split(".")
        return (
            parts[0] in self.api.layout.packages
            and parts[-1] not in INFRASTRUCTURE
            and not {"autograph", "polymorphic_function"} & set(parts)
            and function.__name__ not in CLOSED | READS
            and parts[-2:] != ["summary", "summary"]  # of TF 1: nodes of a graph
        )

    def primitive(self, called: Called) -> set[str]:
        """Return the marks of a call itself."""
        target, name = called.target, called.name
        found = horovod_primitive(called)
        if name in METHODS and (target is UNKNOWN or called.owner is not None):
            found.add(METHODS[name])
        if target is UNKNOWN:
            return found | ({"prints"} if is_stream(called.node.func) else set())
        own = plain(target)
        home = home_of(own)
        given = getattr(own, "__name__", "")
        for mark, modules in PRIMITIVES.items():
            for module, names in modules.items():
                exact = module in EXACT
                same = home == module or (not exact and home.endswith(f".{module}"))
                if same and (given in names or ("*" in names and given != "seed")):
                    found.add(mark)
        if isinstance(own, type):
            if self.variable in mro(own):
                found.add("creates_variables")
            if given in FILES and may_write(called.node):
                found.add("writes")
        if own is open and may_write(called.node):
            found.add("writes")
        return found


def named(name: str) -> Any:
    """Return what a qualified name of TensorFlow stands for, without a walk through its API."""
    found = importlib.import_module("tensorflow")
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def home_of(thing: Any) -> str:
    """Return the name of the module that a function or a class is defined in."""
    owner = getattr(thing, "__self__", None)
    if isinstance(owner, types.ModuleType):
        return owner.__name__
    home = getattr(thing, "__module__", None) or type(owner).__module__
    # What a generated random state of numpy lends to its module.
    return "numpy.random" if type(owner).__module__.startswith("numpy.random") else home


def is_stream(node: ast.expr) -> bool:
    """Tell whether an expression is sys.stdout.write, or that of sys.stderr."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return names in (["write", "stdout"], ["write", "stderr"])


def may_write(call: ast.Call) -> bool:
    """Tell whether a file is opened with a mode that is not plainly for reading."""
    given = [item.value for item in call.keywords if item.arg == "mode"] + call.args[1:2]
    if not given:
        return False
    modes = [given[0].body, given[0].orelse] if isinstance(given[0], ast.IfExp) else given[:1]
    texts = [getattr(mode, "s", getattr(mode, "value", None)) for mode in modes]
    return not all(isinstance(text, str) and text[:1] == "r" and "+" not in text for text in texts)


def horovod_primitive(called: Called) -> set[str]:
    """Return the mark of a call of Horovod's own library, where it concerns all workers."""
    prefix, _, action = called.name.partition("horovod_")
    is_own = not prefix and any(word in action for word in COLLECTIVES)
    asks = action.startswith(("is_", "process_set_")) or "initialized" in action
    return {"collective"} if is_own and not asks else set()
