"""What programs that train with Keras get beside their own code, one by one; Python 2.7, too."""
# ruff: noqa: B905

import typing  # noqa: F401

import horovod.tensorflow.keras as hvd
from tensorflow import keras


def scaled(optimizer):
    # type: (typing.Any) -> typing.Any
    """The optimizer; its default learning rate grows with the workers."""
    rate = keras.backend.get_value(optimizer.lr)
    keras.backend.set_value(optimizer.lr, rate * hvd.size())
    return optimizer


def distribute(optimizer):
    # type: (typing.Any) -> typing.Any
    """The optimizer, which averages its gradients over all workers."""
    optimizer = keras.optimizers.get(optimizer)
    if not hasattr(getattr(optimizer, "inner_optimizer", optimizer), "_allreduce_grads"):
        optimizer = hvd.DistributedOptimizer(optimizer)
    return optimizer


def distribute_loaded(model):
    # type: (typing.Any) -> typing.Any
    """The model, whose optimizer averages its gradients and keeps its state."""
    loaded = model.optimizer
    inner = getattr(loaded, "inner_optimizer", loaded)
    if inner is None or hasattr(inner, "_allreduce_grads"):
        return model
    made = hvd.DistributedOptimizer(inner)
    create = getattr(made, "build", None) or made._create_all_weights
    create(model.trainable_variables)
    for variable, value in zip(made.variables(), inner.variables()):
        variable.assign(value)
    if inner is not loaded:
        made = keras.mixed_precision.LossScaleOptimizer(
            **dict(loaded.get_config(), inner_optimizer=made)
        )
    model.optimizer = made
    return model


def scheduled(optimizer, schedule):
    # type: (typing.Any, typing.Any) -> typing.Any
    """A distributed optimizer, whose configuration cannot hold its schedule."""
    optimizer = hvd.DistributedOptimizer(optimizer)
    optimizer.learning_rate = schedule
    return optimizer


def name_as_keras(model):
    # type: (typing.Any) -> None
    """Lets .keras files name a class of Keras, which can be loaded."""
    optimizer = type(getattr(model.optimizer, "inner_optimizer", model.optimizer))
    if optimizer.__module__ == "horovod._keras":
        optimizer.__module__ = optimizer.__base__.__module__
