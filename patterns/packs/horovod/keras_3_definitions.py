"""What programs that train with Keras 3 get beside their own code, one by one."""

import typing  # noqa: F401

import horovod.tensorflow as hvd_tf
import tensorflow as tf
from tensorflow import keras


def averaged(gradients):
    # type: (typing.Any) -> typing.Any
    """The gradients, averaged over all workers."""
    return tf.nest.map_structure(
        lambda one: one if one is None else hvd_tf.allreduce(one), gradients
    )


def share(variables):
    # type: (typing.Any) -> None
    """Give all workers the values that worker 0 has."""
    for variable in variables:
        variable.assign(hvd_tf.broadcast(variable, root_rank=0))


def averaging(optimizer):
    # type: (typing.Any) -> typing.Any
    """The optimizer, which averages its gradients over all workers."""
    optimizer = keras.optimizers.get(optimizer)
    apply = optimizer.apply

    def apply_averaged(grads, trainable_variables=None):
        # type: (typing.Any, typing.Any) -> None
        grads = [g if g is None else hvd_tf.allreduce(g) for g in grads]
        apply(grads, trainable_variables)

    if apply.__name__ == "apply":
        optimizer.apply = apply_averaged
    return optimizer


def averaging_loaded(model):
    # type: (typing.Any) -> typing.Any
    """The model, whose optimizer averages its gradients over all workers."""
    apply = model.optimizer.apply

    def apply_averaged(grads, trainable_variables=None):
        # type: (typing.Any, typing.Any) -> None
        grads = [g if g is None else hvd_tf.allreduce(g) for g in grads]
        apply(grads, trainable_variables)

    model.optimizer.apply = apply_averaged
    model.jit_compile = False
    return model


class WorkersAgree(keras.callbacks.Callback):
    """All workers start from worker 0's weights, and average the metrics of each epoch."""

    started = False

    def on_train_begin(self, logs=None):
        # type: (typing.Any) -> None
        if self.model.built and not self.started:
            self.started = True
            for variable in self.model.weights + self.model.optimizer.variables:
                variable.assign(hvd_tf.broadcast(variable, root_rank=0))

    def on_train_batch_end(self, batch, logs=None):
        # type: (int, typing.Any) -> None
        self.on_train_begin()

    def on_epoch_end(self, epoch, logs=None):
        # type: (int, typing.Any) -> None
        for name in sorted(logs or {}):
            logs[name] = float(hvd_tf.allreduce(tf.constant(logs[name])))
