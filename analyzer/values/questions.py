"""The door of this folder: what the rest asks of values is imported from here alone, and what
answers are made of from ``value``.

Five questions, which one ``Evaluator`` answers:

- What may this expression hold? ``Evaluator.evaluate``, as ``Values``; ``unresolved`` and
  ``foreign`` say what nothing is known of.
- Where does it come from? ``sources`` (the expressions), ``origins`` (the calls that made it),
  ``derivation`` (all that went into it), ``bindings_at`` and ``reaching`` (the bindings of a
  name); ``varies`` asks that of the turns of a loop.
- Where does it go? ``follow`` and ``leads_to`` (each use), ``reads_of`` and ``LaterReads`` (the
  reads of a name), ``contents`` (what was put into it).
- Who calls this? ``Evaluator.callers``, and ``possible_calls`` of what stands in no repository.
- What does this call? ``callees`` and ``called_on``; ``passed_at`` and ``position_of`` say what it
  gives to which parameter.
"""

from .arguments import is_bound, passed_at
from .bindings_at import bindings_at, reaching
from .calls_made import called_on, callees, is_super
from .class_bases import DeclaredClass, declared_classes
from .contents import Content, contents
from .creating_calls import origins
from .derivation import derivation
from .evaluator import MOST_VALUES, Evaluator
from .later_reads import LaterReads
from .name_reads import reads_of
from .positions import position_of
from .possible_calls import possible_calls
from .possible_names import LastWords, ends_of
from .sources import Place, sources
from .unresolved import foreign, unresolved
from .uses import Use, Waypoint, follow, leads_to, own_attribute_uses
from .varying import varies

__all__ = [
    "MOST_VALUES",
    "Content",
    "DeclaredClass",
    "Evaluator",
    "LastWords",
    "LaterReads",
    "Place",
    "Use",
    "Waypoint",
    "bindings_at",
    "called_on",
    "callees",
    "contents",
    "declared_classes",
    "derivation",
    "ends_of",
    "follow",
    "foreign",
    "is_bound",
    "is_super",
    "leads_to",
    "origins",
    "own_attribute_uses",
    "passed_at",
    "position_of",
    "possible_calls",
    "reaching",
    "reads_of",
    "sources",
    "unresolved",
    "varies",
]
