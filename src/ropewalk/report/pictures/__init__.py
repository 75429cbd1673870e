"""The numbers behind pictures, computed once: the page turns them into SVG, `ropewalk.plots` into Matplotlib."""
