"""speaking_of: of rules for names those whose name is said, whatever groups are asked about."""

from __future__ import annotations

from pathlib import Path

from pinsetter.analyzer.facts import Facts
from pinsetter.analyzer.names.project import Project
from pinsetter.analyzer.syntax.tree import is_name, walk
from pinsetter.patterns.applying.module_rules import ModuleRules
from pinsetter.patterns.packs import pack, pack_files


def test_groups_that_come_after_others_are_known_by_themselves(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import numpy as np\nx = np.NaN\n")
    path = pack_files.find("numpy-2")
    assert path is not None
    loaded = pack.load(path)
    assert isinstance(loaded, pack.Pack)
    project = Project([tmp_path / "a.py"])
    (module,) = project.modules
    rules = ModuleRules(loaded, module, Facts(project))
    references = [rule for rule in loaded.rules if rule.pattern.reference]
    means = [set(rule.pattern.means.values()) for rule in references]
    said = next(n for n, names in enumerate(means) if names == {"numpy.NaN"})
    power = next(n for n in walk(module.tree.root) if len(n.children) > 1 and is_name(n.children[0])
                 and n.children[0].value == "np")  # fmt: skip
    for number in [0, said, 1, said, 2]:
        # What was asked about is gone by then, and another may have its identity.
        found = rules.speaking_of(power, [[references[number]]])
        assert [group[0].id for group in found] == ([references[said].id] if number == said else [])
