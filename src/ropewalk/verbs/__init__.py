"""The verbs `compare`, `evaluate` and `rank`: check the data and the options, and answer the question."""
