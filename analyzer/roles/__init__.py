"""Which expressions hold an optimizer, a dataset, a model? σ: of programs, and of one place."""
