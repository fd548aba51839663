"""What programs that train with Keras get beside their own code, one by one; Python 2.7, too."""
# ruff: noqa: B905

import typing  # noqa: F401

import horovod.tensorflow.keras as hvd
import tensorflow as tf
from tensorflow import keras


def scaled(optimizer):
    # type: (typing.Any) -> typing.Any
    """The optimizer; its learning rate, which it has by default, grows with the workers."""
    rate = keras.backend.get_value(optimizer.lr)
    keras.backend.set_value(optimizer.lr, rate * hvd.size())
    return optimizer


def distribute(optimizer):
    # type: (typing.Any) -> typing.Any
    """The optimizer; it averages its gradients over all workers, if it does not do so yet."""
    optimizer = keras.optimizers.get(optimizer)
    if not hasattr(getattr(optimizer, "inner_optimizer", optimizer), "_allreduce_grads"):
        optimizer = hvd.DistributedOptimizer(optimizer)
    return optimizer


def distribute_loaded(model):
    # type: (typing.Any) -> typing.Any
    """The model; its optimizer averages its gradients over all workers and keeps its state."""
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
    """A distributed optimizer, with a schedule that its configuration cannot hold."""
    optimizer = hvd.DistributedOptimizer(optimizer)
    optimizer.learning_rate = schedule
    return optimizer


class BroadcastBeforeTraining(hvd.callbacks.BroadcastGlobalVariablesCallback):
    """Starts all workers from worker 0's variables before the first step; Horovod's own callback
    does so after it."""

    def on_train_begin(self, logs=None):
        # type: (typing.Any) -> None
        optimizer = getattr(self.model.optimizer, "inner_optimizer", self.model.optimizer)
        if type(optimizer).__module__ == "horovod._keras":
            # Saved models name the class of their optimizer; this one can be loaded.
            type(optimizer).__module__ = type(optimizer).__mro__[1].__module__
        if self.model.built or not tf.executing_eagerly():
            self.on_batch_end(0)
        elif hasattr(self.model, "train_step"):
            # Variables that the first step creates exist when it is traced for the second time.
            step = self.model.train_step
            copied = set()  # type: typing.Set[typing.Any]

            def train_step(data):
                # type: (typing.Any) -> typing.Any
                with tf.init_scope():
                    self.copy(copied)
                return step(data)

            self.model.train_step = train_step

    def copy(self, copied):
        # type: (typing.Set[typing.Any]) -> None
        try:
            variables = self.model.variables
        except ValueError:  # a part of the model is not built yet
            return
        for variable in variables:
            if variable.ref() not in copied:
                variable.assign(hvd.broadcast(variable.numpy(), 0))
                copied.add(variable.ref())

    def on_train_end(self, logs=None):
        # type: (typing.Any) -> None
        self.model.__dict__.pop("train_step", None)
        hvd.broadcast(0, 0)  # wait for worker 0, which may still be writing
