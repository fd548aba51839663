"""TensorFlow, Keras and Horovod: how their programs train, and how they run code."""

from ...programs.domain import Domain
from .execution import execution
from .training import TrainingSites

DOMAIN = Domain("tensorflow", TrainingSites, execution)
