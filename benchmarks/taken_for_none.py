"""What is called as training is, and taken for none? For a person to read, over code not seen yet.

    python benchmarks/taken_for_none.py FOLDER...

Each call of ``fit``, ``apply_gradients``, ``minimize`` and the like, in a module that speaks of
TensorFlow or Keras, that is no training site, with what its receiver may be. Most are other
libraries', or the repository's own, which show by themselves; one that is neither is a program that
trains and would be left alone in silence.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from pinsetter.analyzer.domains.tensorflow.training import TrainingSites
from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project

METHODS = {"fit", "fit_generator", "train_on_batch", "apply_gradients", "minimize"}


def taken_for_none(folder: Path) -> Iterator[str]:
    """A line for each such call: its place, its code and what is known of the receiver."""
    facts = Facts(Project([folder]))
    sites = TrainingSites(facts.evaluator)
    for module in facts.project.given:
        if not sites.models.speaks(module):
            continue
        seen = {id(site.node) for site in sites.seen_in(module)}
        for call in module.tree.calls:
            if call.method in METHODS and id(call.trailer) not in seen:
                code = " ".join(module.tree.source(call.expression).split())
                known = facts.evaluator.evaluate(call.receiver, module)
                names = ", ".join(sorted(value.name for value in known.items)) or "nothing"
                more = "" if known.complete else ", or what is not known"
                place = module.source.place(module.tree.line_of(call.trailer))
                yield f"{place}: {code[:80]}: {names}{more}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    for folder in parser.parse_args().folders:
        for line in taken_for_none(folder):
            print(line)


if __name__ == "__main__":
    main()
