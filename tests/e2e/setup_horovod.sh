#!/usr/bin/env bash
# Build the environment in which the end-to-end tests run transformed programs:
# TensorFlow 2.15 for the CPU and Horovod 0.28.1, compiled here with Gloo as its only transport.
#
#   usage: setup_horovod.sh
#
# It lands in ${PINSETTER_E2E:-${XDG_CACHE_HOME:-$HOME/.cache}/pinsetter-e2e}/tf215 and takes a few
# minutes and 1.3 GB the first time. A second run finds it and returns at once.
# Needs: Python 3.9, 3.10 or 3.11 with venv; cmake, make and g++. No GPU, no MPI.
set -euo pipefail

readonly TENSORFLOW=2.15.1 HOROVOD=0.28.1
readonly ROOT="${PINSETTER_E2E:-${XDG_CACHE_HOME:-$HOME/.cache}/pinsetter-e2e}"
readonly TARGET="$ROOT/tf215"
readonly MARKER="$TARGET/.pinsetter-ready"
readonly WANTED="tensorflow-cpu $TENSORFLOW, horovod $HOROVOD"
# Wheels for different TensorFlow versions carry the same file name: one folder for each version.
readonly WHEELS="$ROOT/wheels/tf215"

fail() {
    echo "setup_horovod: $*" >&2
    exit 1
}

ready() {
    [[ -x "$TARGET/bin/horovodrun" && -f "$MARKER" && "$(<"$MARKER")" == "$WANTED" ]]
}

works() {
    [[ -x "$TARGET/bin/horovodrun" ]] || return 1
    TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=-1 "$TARGET/bin/python" - "$TENSORFLOW" "$HOROVOD" <<'PYTHON'
import sys

import horovod
import horovod.tensorflow as hvd
import tensorflow as tf

hvd.init()
expected = (sys.argv[1], sys.argv[2])
sys.exit(not ((tf.__version__, horovod.__version__) == expected and hvd.gloo_built()))
PYTHON
}

fits() {
    "$1" -c 'import ensurepip, sys, venv; sys.exit(not (3, 9) <= sys.version_info < (3, 12))' \
        >/dev/null 2>&1
}

find_python() {
    local candidate
    for candidate in python3.11 python3.10 python3.9 python3 \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.{11,10,9}*/bin/python; do
        if fits "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "no Python 3.9, 3.10 or 3.11 with venv found; TensorFlow $TENSORFLOW runs on no other"
}

build() {
    local python tool
    python="$(find_python)"
    for tool in cmake make g++; do
        command -v "$tool" >/dev/null || fail "$tool is needed to compile Horovod, and is not here"
    done

    echo "setup_horovod: building $TARGET with $("$python" --version)"
    rm -rf "$TARGET"
    mkdir -p "$WHEELS"
    "$python" -m venv "$TARGET"
    # Horovod's setup.py predates the newer packaging tools and builds without isolation,
    # because it compiles against the TensorFlow that is installed.
    "$TARGET/bin/pip" install --quiet --upgrade 'pip<25' 'setuptools<70' wheel packaging
    "$TARGET/bin/pip" install --quiet "tensorflow-cpu==$TENSORFLOW"
    if ! compgen -G "$WHEELS/horovod-$HOROVOD-*.whl" >/dev/null; then
        # PATH: Horovod's CMake files ask "python" where TensorFlow is.
        PATH="$TARGET/bin:$PATH" MAKEFLAGS="-j$(nproc 2>/dev/null || echo 2)" \
            HOROVOD_WITH_TENSORFLOW=1 HOROVOD_WITHOUT_PYTORCH=1 HOROVOD_WITHOUT_MXNET=1 \
            HOROVOD_WITH_GLOO=1 HOROVOD_WITHOUT_MPI=1 \
            "$TARGET/bin/pip" wheel --quiet --no-cache-dir --no-deps --no-build-isolation \
            --no-binary horovod --wheel-dir "$WHEELS" "horovod==$HOROVOD"
    fi
    "$TARGET/bin/pip" install --quiet --no-cache-dir "$WHEELS"/horovod-"$HOROVOD"-*.whl
    # A wheel kept from another Python would have installed nothing usable.
    works || fail "Horovod was built but does not start; remove $WHEELS and try again"
}

if ready; then
    echo "setup_horovod: $TARGET is ready"
    exit 0
fi

mkdir -p "$ROOT"
if command -v flock >/dev/null; then
    exec 9>"$ROOT/tf215.lock"
    flock 9 # a second run waits here, and then finds the work done
    if ready; then
        exit 0
    fi
fi

works || build
echo "$WANTED" >"$MARKER"
echo "setup_horovod: $TARGET is ready"
