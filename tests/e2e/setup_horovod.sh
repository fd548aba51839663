#!/usr/bin/env bash
# Build the environments in which the end-to-end tests run programs: TensorFlow for the CPU and
# Horovod 0.28.1, compiled here with Gloo as its only transport.
#
#   usage: setup_horovod.sh [tf215] [tf218] [tf115]        tf215 if nothing is named
#
#   tf215   TensorFlow 2.15; needs Python 3.9, 3.10 or 3.11. A few minutes and 1.3 GB. Keras 3 is in
#           its folder `keras-3`, for programs that have this among their paths.
#   tf218   TensorFlow 2.18, with Keras 3; needs Python 3.9 to 3.12. As long, and as large.
#   tf115   TensorFlow 1.15 and the Keras package 2.3; needs Python 3.7. Two minutes and 0.6 GB.
#           Where there is no Python 3.7 it is left out, which is no error.
#
# They land in ${PINSETTER_E2E:-${XDG_CACHE_HOME:-$HOME/.cache}/pinsetter-e2e}. A second run finds
# them and returns at once. Needs venv, cmake, make and g++. No GPU, no MPI.
set -euo pipefail

readonly HOROVOD=0.28.1
readonly ROOT="${PINSETTER_E2E:-${XDG_CACHE_HOME:-$HOME/.cache}/pinsetter-e2e}"

fail() {
    echo "setup_horovod: $*" >&2
    exit 1
}

describe() {
    case "$1" in
        tf215)
            TENSORFLOW=2.15.1
            PYTHONS=(3.11 3.10 3.9)
            TOOLS=('pip<25' 'setuptools<70' wheel packaging)
            PACKAGES=("tensorflow-cpu==$TENSORFLOW")
            OVER=('keras==3.5.0' namex optree rich markdown-it-py mdurl pygments)
            WANTED="tensorflow-cpu $TENSORFLOW, horovod $HOROVOD, keras 3.5.0"
            ;;
        tf218)
            TENSORFLOW=2.18.1
            PYTHONS=(3.11 3.12 3.10 3.9)
            TOOLS=('pip<25' 'setuptools<70' wheel packaging)
            PACKAGES=("tensorflow-cpu==$TENSORFLOW" 'keras==3.8.0')
            WANTED="tensorflow-cpu $TENSORFLOW, keras 3.8.0, horovod $HOROVOD"
            ;;
        tf115)
            TENSORFLOW=1.15.5
            PYTHONS=(3.7)
            TOOLS=('pip<24' 'setuptools<60' 'wheel<0.43')
            PACKAGES=("tensorflow==$TENSORFLOW" 'protobuf<3.21' 'numpy<1.19' 'h5py<3' 'keras==2.3.1')
            WANTED="tensorflow $TENSORFLOW, keras 2.3.1, horovod $HOROVOD"
            ;;
        *)
            fail "there is no environment '$1'; tf215, tf218 and tf115 are known"
            ;;
    esac
    TARGET="$ROOT/$1"
    MARKER="$TARGET/.pinsetter-ready"
    # Wheels for different TensorFlow versions carry the same file name: one folder for each version.
    WHEELS="$ROOT/wheels/$1"
}

ready() {
    [[ -x "$TARGET/bin/horovodrun" && -f "$MARKER" && "$(<"$MARKER")" == "$WANTED" ]]
}

works() {
    [[ -x "$TARGET/bin/horovodrun" ]] || return 1
    TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=-1 \
        "$TARGET/bin/python" -W ignore - "$TENSORFLOW" "$HOROVOD" <<'PYTHON'
import sys

import horovod
import horovod.tensorflow as hvd
import keras
import tensorflow as tf

hvd.init()
expected = (sys.argv[1], sys.argv[2])
sys.exit(not ((tf.__version__, horovod.__version__) == expected and hvd.gloo_built()))
PYTHON
}

fits() { # PYTHON VERSION
    "$1" -c 'import ensurepip, sys, venv; sys.exit("%d.%d" % sys.version_info[:2] != sys.argv[1])' \
        "$2" >/dev/null 2>&1
}

find_python() {
    local version candidate
    for version in "${PYTHONS[@]}"; do
        for candidate in "python$version" python3 \
            "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version"*/bin/python; do
            if fits "$candidate" "$version"; then
                echo "$candidate"
                return
            fi
        done
    done
    return 1
}

build() { # PYTHON
    local tool
    for tool in cmake make g++; do
        command -v "$tool" >/dev/null || fail "$tool is needed to compile Horovod, and is not here"
    done

    echo "setup_horovod: building $TARGET with $("$1" --version)"
    rm -rf "$TARGET"
    mkdir -p "$WHEELS"
    "$1" -m venv "$TARGET"
    # Horovod's setup.py predates the newer packaging tools and builds without isolation,
    # because it compiles against the TensorFlow that is installed.
    "$TARGET/bin/pip" install --quiet --upgrade "${TOOLS[@]}"
    "$TARGET/bin/pip" install --quiet "${PACKAGES[@]}"
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

set_up() { # NAME
    local python
    describe "$1"
    if ready; then
        echo "setup_horovod: $TARGET is ready"
        return
    fi
    if ! python="$(find_python)"; then
        if [[ "$1" == tf115 ]]; then
            echo "setup_horovod: no Python 3.7 with venv found, so no TensorFlow 1.15" >&2
            return
        fi
        fail "no Python of ${PYTHONS[*]} with venv found; TensorFlow $TENSORFLOW runs on no other"
    fi

    mkdir -p "$ROOT"
    if command -v flock >/dev/null; then
        exec 9>"$ROOT/$1.lock"
        flock 9 # a second run waits here, and then finds the work done
        if ready; then
            return
        fi
    fi

    works || build "$python"
    if [[ "$1" == tf215 ]]; then
        "$TARGET/bin/pip" install --quiet --no-deps --upgrade --target "$TARGET/keras-3" \
            "${OVER[@]}"
    fi
    echo "$WANTED" >"$MARKER"
    echo "setup_horovod: $TARGET is ready"
}

if [[ $# -eq 0 ]]; then
    set -- tf215
fi
for name in "$@"; do
    describe "$name"
done
for name in "$@"; do
    set_up "$name"
done
