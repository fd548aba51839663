"""Predicates about TensorFlow, Keras and Horovod."""
