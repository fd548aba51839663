"""PyTorch's compiler comes before TensorFlow: the other way round, loading it is a crash."""

from __future__ import annotations

import contextlib

with contextlib.suppress(ImportError):
    import torch._dynamo  # noqa: F401
