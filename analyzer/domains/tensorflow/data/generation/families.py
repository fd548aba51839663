"""Which classes, functions and methods are recorded, library by library.

Names are qualified in full and may be any spelling that the library has; a final star stands for
all that a module holds. A name that a library lacks stops the generator.
"""

from __future__ import annotations

from typing import NamedTuple

V1 = "tensorflow.compat.v1"
KERAS = "tensorflow.keras"
CONTRIB = "tensorflow.contrib"
HOROVOD = "horovod.tensorflow"


class Families(NamedTuple):
    """Classes are recorded if they are one of the roots or derived from one.

    Of the first group with the parameters of their constructors; of methods the parameters are
    recorded, of functions their parameters and other spellings.
    """

    roots_with_parameters: tuple[str, ...]
    other_roots: tuple[str, ...]
    functions: tuple[str, ...]
    methods: tuple[str, ...]


KERAS_ROOTS_WITH_PARAMETERS = (
    "tensorflow.keras.callbacks.Callback",
    "tensorflow.keras.optimizers.Optimizer",
)
KERAS_OTHER_ROOTS = (
    "tensorflow.keras.Model",
    "tensorflow.keras.layers.Layer",
)
KERAS_FUNCTIONS = (
    "tensorflow.keras.applications.*",
    "tensorflow.keras.models.*",
    "tensorflow.keras.optimizers.get",
    "tensorflow.keras.utils.get_file",
    "tensorflow.keras.utils.plot_model",
)
KERAS_METHODS = (
    "tensorflow.keras.Model.compile",
    "tensorflow.keras.Model.evaluate",
    "tensorflow.keras.Model.fit",
    "tensorflow.keras.Model.fit_generator",
    "tensorflow.keras.Model.load_weights",
    "tensorflow.keras.Model.predict",
    "tensorflow.keras.Model.save",
    "tensorflow.keras.Model.save_weights",
    "tensorflow.keras.Model.train_on_batch",
)

BOTH_ROOTS_WITH_PARAMETERS = (
    *KERAS_ROOTS_WITH_PARAMETERS,
    "tensorflow.GradientTape",
    "tensorflow.compat.v1.InteractiveSession",
    "tensorflow.compat.v1.Session",
    "tensorflow.compat.v1.estimator.Estimator",
    "tensorflow.compat.v1.summary.FileWriter",
    "tensorflow.compat.v1.train.Checkpoint",
    "tensorflow.compat.v1.train.MonitoredSession",
    "tensorflow.compat.v1.train.Optimizer",
    "tensorflow.compat.v1.train.Saver",
    "tensorflow.compat.v1.train.Scaffold",
    "tensorflow.compat.v1.train.SessionCreator",
    "tensorflow.compat.v1.train.SessionRunHook",
    "tensorflow.compat.v1.train.SingularMonitoredSession",
    "tensorflow.compat.v1.train.Supervisor",
    "tensorflow.estimator.Estimator",
    "tensorflow.estimator.EstimatorSpec",
    "tensorflow.estimator.EvalSpec",
    "tensorflow.estimator.RunConfig",
    "tensorflow.estimator.TrainSpec",
    "tensorflow.keras.optimizers.schedules.LearningRateSchedule",
    "tensorflow.train.Checkpoint",
    "tensorflow.train.CheckpointManager",
)
BOTH_OTHER_ROOTS = (
    *KERAS_OTHER_ROOTS,
    "tensorflow.Module",
    "tensorflow.Variable",
    "tensorflow.compat.v1.Variable",
    "tensorflow.compat.v1.data.Dataset",
    "tensorflow.compat.v1.data.Iterator",
    "tensorflow.compat.v1.distribute.Strategy",
    "tensorflow.compat.v1.gfile.FastGFile",
    "tensorflow.data.Dataset",
    "tensorflow.distribute.Strategy",
    "tensorflow.io.TFRecordWriter",
    "tensorflow.io.gfile.GFile",
    "tensorflow.keras.losses.Loss",
    "tensorflow.keras.metrics.Metric",
    "tensorflow.summary.SummaryWriter",
)
BOTH_FUNCTIONS = (
    *KERAS_FUNCTIONS,
    "tensorflow.compat.v1.app.run",
    "tensorflow.compat.v1.data.make_initializable_iterator",
    "tensorflow.compat.v1.data.make_one_shot_iterator",
    "tensorflow.compat.v1.disable_eager_execution",
    "tensorflow.compat.v1.disable_v2_behavior",
    "tensorflow.compat.v1.enable_eager_execution",
    "tensorflow.compat.v1.get_default_session",
    "tensorflow.compat.v1.gfile.*",
    "tensorflow.compat.v1.global_variables_initializer",
    "tensorflow.compat.v1.initialize_all_variables",
    "tensorflow.compat.v1.keras.backend.get_session",
    "tensorflow.compat.v1.keras.backend.set_session",
    "tensorflow.compat.v1.keras.estimator.model_to_estimator",
    "tensorflow.compat.v1.logging.*",
    "tensorflow.compat.v1.py_func",
    "tensorflow.compat.v1.saved_model.*",
    "tensorflow.compat.v1.set_random_seed",
    "tensorflow.compat.v1.train.*",
    "tensorflow.config.*",
    "tensorflow.config.experimental.*",
    "tensorflow.distribute.get_strategy",
    "tensorflow.estimator.train_and_evaluate",
    "tensorflow.function",
    "tensorflow.io.gfile.*",
    "tensorflow.io.write_file",
    "tensorflow.io.write_graph",
    "tensorflow.keras.estimator.model_to_estimator",
    "tensorflow.numpy_function",
    "tensorflow.print",
    "tensorflow.py_function",
    "tensorflow.random.*",
    "tensorflow.saved_model.*",
    "tensorflow.summary.*",
    "tensorflow.train.*",
)
BOTH_METHODS = (
    *KERAS_METHODS,
    "tensorflow.GradientTape.gradient",
    "tensorflow.compat.v1.Session.run",
    "tensorflow.compat.v1.estimator.Estimator.evaluate",
    "tensorflow.compat.v1.estimator.Estimator.predict",
    "tensorflow.compat.v1.estimator.Estimator.train",
    "tensorflow.compat.v1.summary.FileWriter.add_summary",
    "tensorflow.compat.v1.train.Optimizer.apply_gradients",
    "tensorflow.compat.v1.train.Optimizer.compute_gradients",
    "tensorflow.compat.v1.train.Optimizer.minimize",
    "tensorflow.compat.v1.train.Saver.restore",
    "tensorflow.compat.v1.train.Saver.save",
    "tensorflow.data.Dataset.batch",
    "tensorflow.data.Dataset.from_generator",
    "tensorflow.data.Dataset.map",
    "tensorflow.data.Dataset.prefetch",
    "tensorflow.data.Dataset.repeat",
    "tensorflow.data.Dataset.shard",
    "tensorflow.data.Dataset.shuffle",
    "tensorflow.keras.optimizers.Optimizer.apply_gradients",
    "tensorflow.keras.optimizers.Optimizer.minimize",
    "tensorflow.train.Checkpoint.restore",
    "tensorflow.train.Checkpoint.save",
    "tensorflow.train.CheckpointManager.save",
)

TENSORFLOW_2 = Families(
    roots_with_parameters=(
        *BOTH_ROOTS_WITH_PARAMETERS,
        "tensorflow.keras.mixed_precision.LossScaleOptimizer",
        "tensorflow.keras.optimizers.legacy.Optimizer",
    ),
    other_roots=(
        *BOTH_OTHER_ROOTS,
        "tensorflow.data.Iterator",
    ),
    functions=(
        *BOTH_FUNCTIONS,
        "tensorflow.keras.utils.audio_dataset_from_directory",
        "tensorflow.keras.utils.image_dataset_from_directory",
        "tensorflow.keras.utils.save_img",
        "tensorflow.keras.utils.set_random_seed",
        "tensorflow.keras.utils.text_dataset_from_directory",
        "tensorflow.keras.utils.timeseries_dataset_from_array",
    ),
    methods=(
        *BOTH_METHODS,
        "tensorflow.keras.optimizers.legacy.Optimizer.apply_gradients",
        "tensorflow.keras.optimizers.legacy.Optimizer.minimize",
    ),
)

TENSORFLOW_1 = Families(
    roots_with_parameters=BOTH_ROOTS_WITH_PARAMETERS,
    other_roots=(
        *BOTH_OTHER_ROOTS,
        "tensorflow.compat.v1.ConfigProto",
        "tensorflow.compat.v1.GPUOptions",
        "tensorflow.compat.v1.GraphKeys",
        "tensorflow.compat.v1.variable_scope",
        "tensorflow.contrib.training.HParams",
    ),
    functions=(
        *BOTH_FUNCTIONS,
        "tensorflow.compat.v1.Print",
        "tensorflow.compat.v1.add_to_collection",
        "tensorflow.compat.v1.all_variables",
        "tensorflow.compat.v1.assign",
        "tensorflow.compat.v1.assign_add",
        "tensorflow.compat.v1.assign_sub",
        "tensorflow.compat.v1.create_partitioned_variables",
        "tensorflow.compat.v1.get_collection",
        "tensorflow.compat.v1.get_default_graph",
        "tensorflow.compat.v1.get_local_variable",
        "tensorflow.compat.v1.get_variable",
        "tensorflow.compat.v1.get_variable_scope",
        "tensorflow.compat.v1.global_variables",
        "tensorflow.compat.v1.initialize_local_variables",
        "tensorflow.compat.v1.initialize_variables",
        "tensorflow.compat.v1.layers.*",
        "tensorflow.compat.v1.local_variables",
        "tensorflow.compat.v1.local_variables_initializer",
        "tensorflow.compat.v1.losses.*",
        "tensorflow.compat.v1.make_template",
        "tensorflow.compat.v1.metrics.*",
        "tensorflow.compat.v1.model_variables",
        "tensorflow.compat.v1.multinomial",
        "tensorflow.compat.v1.nn.bidirectional_dynamic_rnn",
        "tensorflow.compat.v1.nn.dynamic_rnn",
        "tensorflow.compat.v1.nn.static_rnn",
        "tensorflow.compat.v1.placeholder",
        "tensorflow.compat.v1.placeholder_with_default",
        "tensorflow.compat.v1.python_io.*",
        "tensorflow.compat.v1.random_crop",
        "tensorflow.compat.v1.random_gamma",
        "tensorflow.compat.v1.random_normal",
        "tensorflow.compat.v1.random_poisson",
        "tensorflow.compat.v1.random_shuffle",
        "tensorflow.compat.v1.random_uniform",
        "tensorflow.compat.v1.report_uninitialized_variables",
        "tensorflow.compat.v1.reset_default_graph",
        "tensorflow.compat.v1.summary.*",
        "tensorflow.compat.v1.tables_initializer",
        "tensorflow.compat.v1.trainable_variables",
        "tensorflow.compat.v1.truncated_normal",
        "tensorflow.compat.v1.variables_initializer",
        "tensorflow.compat.v1.write_file",
        "tensorflow.contrib.framework.*",
        "tensorflow.contrib.layers.*",
        "tensorflow.contrib.summary.*",
        "tensorflow.contrib.training.*",
    ),
    methods=BOTH_METHODS,
)

KERAS_2_3 = Families(
    roots_with_parameters=KERAS_ROOTS_WITH_PARAMETERS,
    other_roots=KERAS_OTHER_ROOTS,
    functions=KERAS_FUNCTIONS,
    methods=(*KERAS_METHODS, "tensorflow.keras.Model.evaluate_generator"),
)

HOROVOD_0 = Families(
    roots_with_parameters=(),
    other_roots=(),
    functions=(
        "horovod.tensorflow.*",
        "horovod.tensorflow.keras.*",
        "horovod.tensorflow.elastic.*",
        "horovod.tensorflow.keras.elastic.*",
    ),
    methods=(),
)
