"""Arrays of draws: blocks and streams, intervals, bands, summaries, decisions. Nothing here knows a model."""
