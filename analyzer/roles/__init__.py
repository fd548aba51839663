"""Which expressions hold an optimizer, a dataset, a model? σ, by an abstract run."""
