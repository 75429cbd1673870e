"""Results in, text out. What a page adds to an answer is computed in `inference.extras`.

A result is described once, in blocks (`document`), by the function that is registered for its kind (`describe`), and
every surface (`render`) arranges these blocks in its own way.
"""
