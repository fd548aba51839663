# Two commands for a newcomer: `make demo` and `make test`. Both set up what they need in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO := build/demo

# What tells of its own end, and is of no concern here.
export NO_MKDOCS_2_WARNING = 1

.PHONY: demo test lint site e2e pythons suites horovod virtualized test-torch test-frameworks snek cart-pole autograph laws fixtures fuzz-parser fuzz-state kills corpus peers wheel clean

demo: $(VENV)/.runs
	@rm -rf $(DEMO) && mkdir -p build && cp -r fixtures/demo $(DEMO)
	@echo "== What Pinsetter proposes for $(DEMO): a trainer in several modules"
	@$(BIN)/pinsetter run tf2_gradient_tape $(DEMO) --diff
	@echo "== To review it hunk by hunk:  $(BIN)/bowler run codemods/tf2_gradient_tape.py $(DEMO)"
	@echo "== To accept all of it:        $(BIN)/pinsetter run tf2_gradient_tape $(DEMO) --write"

test: $(VENV)/.installed
	$(BIN)/python -m pytest -n 2 --dist loadscope

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python docs/generate.py --check
	rm -rf build/typed build/lib && $(BIN)/python -m pip install --quiet --no-deps --target build/typed .
	PYTHONPATH=build/typed $(BIN)/lint-imports
	MYPYPATH=build/typed $(BIN)/mypy

# The documents as a site, in build/site; a link that leads nowhere is a mistake.
site: $(VENV)/.installed
	$(BIN)/mkdocs build --quiet

# Real Horovod for tests/e2e; built once per machine, in the user's cache folder.
horovod:
	bash tests/e2e/setup_horovod.sh tf215 tf115

# Every program in every way; `make test` has some of each training API.
e2e: horovod $(VENV)/.installed
	PINSETTER_E2E=all $(BIN)/python -m pytest -n 2 --dist loadscope tests/e2e

# The README's commands with other Pythons, each in an environment of its own.
PYTHONS ?= python3.10 python3.11 python3.12 python3.13 python3.14
pythons: $(VENV)/.installed
	PINSETTER_PYTHONS="$(PYTHONS)" $(BIN)/python -m pytest -q tests/test_readme.py

# Other tools' own tests, with a pack in the place of the tool; CHECKOUT is that tool's repository.
SUITE ?= unittest2pytest
suites: $(VENV)/.installed
	$(BIN)/python benchmarks/suites.py $(SUITE) $(CHECKOUT)

# Virtualized code: CPython's tests on its own library, 20,000 programs by chance, what it costs, and
# the programs of brownplt/lambda-py, if CHECKOUT is that. Half an hour.
virtualized: $(VENV)/.installed
	$(BIN)/python benchmarks/virtualized.py library
	$(BIN)/python benchmarks/virtualized.py exits
	$(BIN)/python benchmarks/virtualized.py cost
	$(if $(CHECKOUT),$(BIN)/python benchmarks/virtualized.py lambda-py $(CHECKOUT))
	PINSETTER_PROGRAMS=20000 $(BIN)/python -m pytest -n 2 -q tests/codemods/test_virtualize.py

# The TorchScript back end, with a torch in an environment of its own.
test-torch:
	$(PYTHON) -m venv build/torch
	build/torch/bin/pip install --quiet torch numpy pytest .
	build/torch/bin/python -m pytest -q -p no:cacheprovider --confcutdir=tests/staging tests/staging/test_torch_backend.py

# What torch, JAX and TensorFlow say to functions that were lowered, each of them in an environment.
FRAMEWORKS = torch==2.13.0 jax tensorflow-cpu
test-frameworks: build/frameworks
	build/frameworks/bin/python -m pytest -q -p no:cacheprovider --confcutdir=tests/frameworks tests/frameworks

build/frameworks:
	$(PYTHON) -m venv $@
	$@/bin/pip install --quiet $(FRAMEWORKS) numpy pyyaml pytest .

# Tables 1 and 2 of document 003: a training step, and a pole that is balanced, as they are,
# virtualized and staged.
snek: test-torch
	build/torch/bin/python benchmarks/snek.py
cart-pole: build/frameworks
	build/frameworks/bin/python benchmarks/cart_pole.py

# Tables 1 to 3 of document 004: a recurrent network, a training loop in the graph, a TreeLSTM; and
# its appendix: beam search, L-BFGS, MAML, and sequence to sequence.
autograph: build/frameworks
	build/frameworks/bin/python benchmarks/autograph.py
	build/frameworks/bin/python benchmarks/tree_lstm.py
	build/frameworks/bin/python benchmarks/autograph_appendix.py

# What rules make of code: over a corpus, with every expression everywhere, by chance. Takes hours;
# LAWS="--files 300 --rules 8" makes it less.
laws: $(VENV)/.installed
	$(BIN)/python benchmarks/laws.py $(LAWS)
	PINSETTER_ZOO=all $(BIN)/python -m pytest -n 2 -q tests/patterns/test_zoo.py
	PINSETTER_FUZZ=20000 $(BIN)/python -m pytest -n 2 -q tests/patterns/test_random_rules.py
	PINSETTER_FUZZ=1000 $(BIN)/python -m pytest -n 2 -q tests/codemods/test_properties.py

# Mutated sources through parser and analyzer, for a quarter of an hour; FUZZ="--seconds 60" is less.
fuzz-parser: $(VENV)/.installed
	$(BIN)/python benchmarks/fuzz_parser.py $(FUZZ)

# State databases and files of decisions with mistakes in them, 100,000; takes half an hour.
fuzz-state: $(VENV)/.installed
	PINSETTER_FUZZ_STATE=100000 $(BIN)/python -m pytest -n 2 -q tests/codemods/test_state_fuzz.py

# Runs, undo and recover ended at 600 random instants, by signals and for want of memory; half an hour.
kills: $(VENV)/.installed
	PINSETTER_KILLS=600 $(BIN)/python -m pytest -q -s tests/codemods/test_kills.py
	PINSETTER_KILLS=720 $(BIN)/python -m pytest -q -n 2 tests/codemods/test_campaign_kills.py tests/codemods/test_crash.py

# Every program of the fixtures in tests of which `make test` has a quarter.
fixtures: $(VENV)/.installed
	PINSETTER_FIXTURES=all $(BIN)/python -m pytest -n 2 -q tests/codemods/test_plan_cache.py \
	  tests/codemods/test_validity.py tests/codemods/test_line_ends.py tests/codemods/test_remarked.py \
	  tests/codemods/test_cluster.py tests/codemods/test_jobs.py

# Beside ast-grep, LibCST, Bowler and Semgrep; gets them into build/peers. FOLDERS are searched.
FOLDERS ?= fixtures
peers: $(VENV)/.installed
	$(BIN)/python benchmarks/peers.py $(FOLDERS) $(PEERS)

# 19,000 Python files of other people's, in build/corpus, for benchmarks; gets 330 MB of wheels.
corpus: $(VENV)/.installed
	$(BIN)/python benchmarks/corpus.py

# The same commit gives the same bytes, whenever it is built, with the same setuptools and umask.
wheel: $(VENV)/.installed
	export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 315532800); \
	for dist in dist build/again; do \
	    rm -rf $$dist build/lib build/bdist.*; \
	    $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $$dist . || exit; \
	    sleep 2; \
	done
	cmp dist/*.whl build/again/*.whl
	$(BIN)/python -m zipfile -l dist/*.whl | grep >/dev/null 'pinsetter/patterns/packs/tf2-gradient-tape.yaml'
	$(BIN)/python -m zipfile -l dist/*.whl | grep >/dev/null 'purelib/pinsetter-bowler.pth'
	$(BIN)/python -m zipfile -l dist/*.whl | grep >/dev/null 'engine/report/templates/report.html'
	$(BIN)/python -m zipfile -l dist/*.whl | grep >/dev/null 'pinsetter/py.typed'

# What a run needs, with pip's own progress; what tests and checks need comes on top.
$(VENV)/.runs: setup.cfg setup.py pyproject.toml codemods/engine/bowler/pinsetter-bowler.pth
	@echo "== Setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@rm -f $@
	@{ $(BIN)/python -m pip install --editable . && touch $@; } \
	    | sed -u -n 's/^Collecting \([^ ]*\).*/   \1/p; /^Successfully i/p'
	@test -f $@
	@$(COMPILED)

$(VENV)/.installed: $(VENV)/.runs
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	$(COMPILED)
	touch $@

# Where Python is told to write no bytecode, each command would compile all modules again.
COMPILED = $(BIN)/python -m compileall -q src analyzer patterns codemods staging

clean:
	rm -rf $(VENV) build dist *.egg-info
