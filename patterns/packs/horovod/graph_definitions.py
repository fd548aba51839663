"""What programs of TensorFlow 1 get beside their own code, one by one; Python 2.7, too."""
# ruff: noqa: UP004

import typing  # noqa: F401

import horovod.tensorflow as hvd


# For modules that programs use which do not start Horovod.
def distributed(optimizer):
    # type: (typing.Any) -> typing.Any
    return hvd.DistributedOptimizer(optimizer) if hvd.is_initialized() else optimizer


# What a summary writer is on the other workers: every method does nothing.
class NoWriter(object):
    def __enter__(self):
        # type: () -> NoWriter
        return self

    def __exit__(self, *exception):
        # type: (*typing.Any) -> None
        pass

    def __getattr__(self, name):
        # type: (str) -> typing.Any
        return lambda *args, **kwargs: None
