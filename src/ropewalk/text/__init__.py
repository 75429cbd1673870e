"""Words for every surface: names, numbers, verdicts, escaping."""
