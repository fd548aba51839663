"""Is what rules make of code what they mean? The laws over a corpus, and the figures.

    python benchmarks/laws.py [--files N] [--rules N] [--only RULE ...] [--jobs 2] [--failures FILE]

The corpus is the standard library of the running Python and the packages of laws-corpus.txt, which
pip downloads once into the user's cache folder. Each file is tried with all rules of
tests/patterns/law_rules.py whose words it has, or with so many of them;
`tests/patterns/rule_laws.py` says what must hold. Printed: rules, files and captures tried, what
was wrong by law, what was declined.

Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import platformdirs

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "patterns"))

from law_rules import RULES, LawRule  # noqa: E402
from rule_laws import LAWS, Broken, Tried, opened, tried  # noqa: E402

PACKAGES = Path(__file__).with_name("laws-corpus.txt")
FOLDER = Path(platformdirs.user_cache_dir("pinsetter")) / "laws"


def packages() -> Path | str:
    """The folder with the packages of the corpus; why there is none, if they cannot be had."""
    wanted = hashlib.sha256(PACKAGES.read_bytes()).hexdigest()[:16]
    folder = FOLDER / wanted
    if folder.is_dir():
        return folder
    wheels = FOLDER / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(wheels), "--requirement", str(PACKAGES)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return run.stderr.strip().splitlines()[-1]
    made = FOLDER / f"{wanted}.part{os.getpid()}"
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".py")]
            archive.extractall(made / wheel.name.partition("-")[0], names)
    made.rename(folder)
    return folder


def corpus(folder: Path | None) -> list[Path]:
    """All files, in an order that is always the same and says nothing of them."""
    library = Path(sysconfig.get_path("stdlib"))
    found = [
        path for path in library.rglob("*.py")
        if not {"site-packages", "dist-packages"} & set(path.parts)
    ]  # fmt: skip
    if folder is not None:
        found += folder.rglob("*.py")
    root = folder or library

    def key(path: Path) -> bytes:
        base = root if path.is_relative_to(root) else library
        return hashlib.sha256(str(path.relative_to(base)).encode()).digest()

    return sorted(found, key=key)


def try_file(path: Path, rules: Sequence[LawRule], most: int | None) -> dict[str, Tried]:
    """What each of the rules makes of one file: all that it has the words of, or so many."""
    code = path.read_bytes()
    words = code.decode("utf-8", "replace")
    fitting = [rule for rule in rules if all(word in words for word in rule.words)]
    chance = random.Random(path.name)
    if most is not None and len(fitting) > most:
        fitting = chance.sample(fitting, most)
    given = opened(code)
    if given is None:
        return {}
    return {rule.id: tried(given, rule, str(path), len(words)) for rule in fitting}


def results(
    paths: Sequence[Path], rules: Sequence[LawRule], most: int | None, jobs: int
) -> Iterator[dict[str, Tried]]:
    work = partial(try_file, rules=rules, most=most)
    if jobs == 1:
        yield from map(work, paths)
        return
    with ProcessPoolExecutor(jobs, initializer=os.nice, initargs=(10,)) as pool:
        yield from pool.map(work, paths, chunksize=4)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, help="so many files of the corpus only")
    parser.add_argument("--rules", type=int, help="so many rules for each file only")
    parser.add_argument("--only", nargs="+", default=[], help="these rules only")
    parser.add_argument("--paths", nargs="+", type=Path, help="these files in place of the corpus")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--failures", type=Path, help="where each failure is written")
    parser.add_argument("--each", type=int, default=5, help="so many of each rule and law")
    options = parser.parse_args()
    folder = packages()
    if isinstance(folder, str):
        print(f"standard library alone: the packages cannot be had ({folder})")
    paths = options.paths or corpus(folder if isinstance(folder, Path) else None)[: options.files]
    rules = [rule for rule in RULES if not options.only or rule.id in options.only]
    began = time.monotonic()
    sums: dict[str, Tried] = defaultdict(Tried)
    files = 0
    for found in results(paths, rules, options.rules, options.jobs):
        files += bool(found)
        for id, one in found.items():
            sums[id].add(one)
    return report(sums, files, time.monotonic() - began, options.failures, options.each)


def report(
    sums: dict[str, Tried], files: int, seconds: float, failures: Path | None, each: int
) -> int:
    whole = Tried()
    print(f"{'rule':52} {'files':>6} {'matches':>8} {'declined':>8}  wrong")
    for rule in RULES:
        one = sums.get(rule.id)
        if one is None:
            continue
        whole.add(one)
        laws = Counter(broken.law for broken in one.broken)
        wrong = " ".join(f"{law} {laws[law]}" for law in LAWS if laws[law])
        print(f"{rule.id[:52]:52} {one.files:6} {one.matches:8} {one.declined:8}  {wrong}")
    laws = Counter(broken.law for broken in whole.broken)
    print(
        f"{len(sums)} rules x {files} files = {whole.files} trials; {whole.matches} matches with "
        f"{whole.captures} captures; wrong {len(whole.broken)} ("
        + ", ".join(f"{law} {laws[law]}" for law in LAWS if laws[law])
        + f"); declined {whole.declined}, unclear {whole.unclear}; {seconds:.0f} s"
    )
    for text, count in whole.said.most_common():
        print(f"  declined: {text} ({count})")
    if failures is not None:
        failures.write_text("".join(_described(whole.broken, each)), encoding="utf-8")
    return 1 if whole.broken else 0


def _described(broken: Sequence[Broken], each: int) -> Iterator[str]:
    """The shortest failures of each rule and law."""
    kinds: dict[tuple[str, str], list[Broken]] = defaultdict(list)
    for one in broken:
        kinds[one.rule, one.law].append(one)
    for (rule, law), found in kinds.items():
        yield f"## {rule}: {law} ({len(found)})\n\n"
        for one in sorted(found, key=lambda b: len(b.code) + len(b.result))[:each]:
            yield f"{one.path}:{one.line}\n  code:   {one.code}\n  result: {one.result}\n"
            yield f"  wanted: {one.wanted}\n\n"


if __name__ == "__main__":
    sys.exit(main())
