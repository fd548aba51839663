"""The installed libraries, and how their modules are spelled."""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import warnings
from typing import Any

import families
from families import CONTRIB, HOROVOD, KERAS, V1
from recorded_names import Layout

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

# `tf_keras` is Keras 2 under the name that it has from TensorFlow 2.16 on, and is no part of 2.15.
# `tensorflow.python.keras` is a private copy of Keras: its classes are other objects in 2.15, but
# code that imports it means tf.keras.
TF_KERAS = {"tensorflow.python.keras": KERAS, "tf_keras": KERAS}
API_MODULES = (
    "tensorboard.summary._tf.",
    "tensorflow._api.",
    "tensorflow_estimator.python.estimator.api.",
)


def installed(library: str) -> Layout:
    """Import a library (tensorflow, keras or horovod) and return how it is laid out."""
    warnings.simplefilter("ignore")  # deprecated names are recorded like all others
    tf = importlib.import_module("tensorflow")
    tf.compat.v1.logging.set_verbosity("ERROR")
    importlib.import_module("absl.logging").set_verbosity("error")
    if library == "horovod":
        return horovod(tf)
    if library == "keras":
        return old_keras(tf)
    return tensorflow_1(tf) if tf.__version__.startswith("1.") else tensorflow_2(tf)


def provenance(**versions: str) -> dict[str, str]:
    """Return where facts come from: the script, the Python and the versions of the libraries."""
    return {
        "generator": "analyzer/domains/tensorflow/data/generate.py",
        "python": ".".join(platform.python_version_tuple()[:2]),
        **versions,
    }


def tensorflow_2(tf: Any) -> Layout:
    """Return the layout of TF 2 with the Keras that is installed with it."""
    keras = importlib.import_module("keras")
    return Layout(
        library="tensorflow",
        families=families.TENSORFLOW_2,
        provenance=provenance(tensorflow=tf.__version__, keras=keras.__version__),
        trees={"tensorflow": tf, V1: tf.compat.v1},
        twins={
            "keras": (keras, KERAS),
            "tensorflow.compat.v2": (tf.compat.v2, "tensorflow"),
            f"{V1}.compat.v1": (tf.compat.v1.compat.v1, V1),
            f"{V1}.compat.v2": (tf.compat.v1.compat.v2, "tensorflow"),
        },
        by_hand=TF_KERAS,
        api_modules=("keras.api.", *API_MODULES),
    )


def tensorflow_1(tf: Any) -> Layout:
    """Return the layout of TF 1, in the spelling of TF 2.

    What a program of TF 1 calls ``tensorflow`` is recorded as ``tensorflow.compat.v1``, and what
    it calls ``tensorflow.compat.v2`` as ``tensorflow``.
    """
    return Layout(
        library="tensorflow",
        families=families.TENSORFLOW_1,
        provenance=provenance(tensorflow=tf.__version__),
        trees={
            "tensorflow": tf.compat.v2,
            V1: tf.compat.v1,
            CONTRIB: importlib.import_module(CONTRIB),
        },
        twins={
            "tensorflow": (tf, V1),
            "tensorflow.compat.v2": (tf.compat.v2, "tensorflow"),
        },
        by_hand={"tensorflow.python.keras": KERAS},
        api_modules=(
            "tensorflow.contrib.",
            "tensorflow.python.keras.api.",
            "tensorflow.python.platform.flags.",
            "tensorflow_core.contrib.",
            *API_MODULES,
        ),
        bare_v1=True,
        packages=("tensorflow", "tensorflow_core", "tensorflow_estimator"),
    )


def old_keras(tf: Any) -> Layout:
    """Return the layout of Keras as it was when it was no part of TensorFlow."""
    keras = importlib.import_module("keras")
    if not keras.__version__.startswith("2.3."):
        raise SystemExit("generate.py: this Keras is tensorflow.keras; there is nothing to add")
    for found in pkgutil.walk_packages(keras.__path__, "keras."):
        if not found.name.startswith("keras.backend."):  # some are for other libraries
            importlib.import_module(found.name)
    return Layout(
        library="keras",
        families=families.KERAS_2_3,
        provenance=provenance(tensorflow=tf.__version__, keras=keras.__version__),
        trees={KERAS: keras},
        twins={"keras": (keras, KERAS)},
        by_hand={},
        api_modules=("keras.",),
        packages=("keras", "tensorflow", "tensorflow_core"),
    )


def horovod(tf: Any) -> Layout:
    """Return the layout of Horovod for TensorFlow and Keras."""
    found = importlib.import_module(HOROVOD)
    importlib.import_module(f"{HOROVOD}.keras")
    return Layout(
        library="horovod",
        families=families.HOROVOD_0,
        provenance=provenance(
            tensorflow=tf.__version__, horovod=importlib.import_module("horovod").__version__
        ),
        trees={HOROVOD: found},
        twins={},
        by_hand={},
        api_modules=("horovod.tensorflow.",),
        packages=("horovod",),
    )
