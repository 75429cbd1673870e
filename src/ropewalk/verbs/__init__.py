"""The verbs: check what was given, ask, answer."""
