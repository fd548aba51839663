"""Stand-ins for well-known files that programs download; any other download fails as offline."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import struct
import tarfile
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from .samples import TEST, TRAIN, colours, digits, generator


def install(seed: int) -> None:
    for keras in (tf.keras.utils, tf.compat.v1.keras.utils):
        keras.get_file = _get_file(keras.get_file, seed)
    urllib.request.urlretrieve = _urlretrieve(urllib.request.urlretrieve, seed)


def _get_file(original: Callable[..., Any], seed: int) -> Callable[..., Any]:
    def get_file(fname: Any = None, origin: Any = None, untar: bool = False, **options: Any) -> Any:
        name = os.path.basename(origin or fname)
        if name not in _FILES:
            return original(fname, origin, untar=untar, **options)
        folder = Path(options.get("cache_dir") or tempfile.gettempdir()) / "datasets"
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder / (name if untar else os.path.basename(fname or name))
        archive.write_bytes(_FILES[name](seed))
        if untar or (options.get("extract") and ".tar" in name):
            with tarfile.open(archive) as content:
                content.extractall(folder)
        return str(folder / os.path.basename(fname or name))

    return get_file


def _urlretrieve(original: Callable[..., Any], seed: int) -> Callable[..., Any]:
    def urlretrieve(url: str, filename: Any = None, *args: Any, **kwargs: Any) -> Any:
        name = url.rpartition("/")[2]
        if name not in _FILES:
            return original(url, filename, *args, **kwargs)
        target = Path(filename or Path(tempfile.gettempdir()) / name)
        target.write_bytes(_FILES[name](seed))
        return str(target), {}

    return urlretrieve


def _digits(seed: int) -> Any:
    random = generator(seed)
    return digits(random, TRAIN), digits(random, TEST)


def _idx(part: int, kind: int) -> Callable[[int], bytes]:
    def make(seed: int) -> bytes:
        values = _digits(seed)[part][kind]
        head = struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape)
        return gzip.compress(head + values.tobytes())

    return make


def _npz(seed: int) -> bytes:
    (x_train, y_train), (x_test, y_test) = _digits(seed)
    file = io.BytesIO()
    np.savez(file, x_train=x_train, y_train=y_train, x_test=x_test, y_test=y_test)
    return file.getvalue()


def _cifar(seed: int) -> bytes:
    random = generator(seed)
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name in [*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"]:
            images, labels = colours(random, TRAIN // 5)
            rows = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
            batch = {b"data": rows, b"labels": labels.ravel().tolist()}
            content = pickle.dumps(batch, protocol=2)
            member = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


def _flowers(count: int) -> Callable[[int], bytes]:
    def make(seed: int) -> bytes:
        random = generator(seed)
        rows = [f"{count},4,setosa,versicolor,virginica"]
        for kind in random.integers(0, 3, size=count):
            measures = random.normal(loc=(5.0, 3.0, 1.5 + 2 * kind, 0.3 + kind), scale=0.3)
            rows.append(",".join([*(f"{measure:.1f}" for measure in measures), str(kind)]))
        return "\n".join([*rows, ""]).encode()

    return make


def _verses(seed: int) -> bytes:
    random = generator(seed)
    words = np.array(
        ["to", "be", "or", "not", "that", "is", "the", "question", "whether", "nobler"]
    )
    lines = (" ".join(random.choice(words, size=6)) for _ in range(500))
    return "\n".join(lines).encode()


def _colour_names(seed: int) -> bytes:
    random = generator(seed)
    rows = ["name,red,green,blue"]
    for _ in range(600):
        name = "".join(random.choice(list("abcdefgh"), size=random.integers(3, 9)))
        rows.append(",".join([name, *map(str, random.integers(0, 256, size=3))]))
    return "\n".join([*rows, ""]).encode()


_FILES: dict[str, Callable[[int], bytes]] = {
    "train-images-idx3-ubyte.gz": _idx(0, 0),
    "train-labels-idx1-ubyte.gz": _idx(0, 1),
    "t10k-images-idx3-ubyte.gz": _idx(1, 0),
    "t10k-labels-idx1-ubyte.gz": _idx(1, 1),
    "mnist.npz": _npz,
    "cifar-10-python.tar.gz": _cifar,
    "iris_training.csv": _flowers(120),
    "iris_test.csv": _flowers(30),
    "shakespeare.txt": _verses,
    "train.csv": _colour_names,
    "test.csv": _colour_names,
}
