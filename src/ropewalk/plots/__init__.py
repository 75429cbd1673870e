"""Pictures of results, drawn with matplotlib (extra `plot`): results in, axes out."""
