"""What hypothesis draws: tables, labels and names, odd ones included."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

pair_counts = hnp.arrays(np.int64, (2, 2, 2), elements=st.integers(0, 60))
confusions = hnp.arrays(np.int64, (2, 2), elements=st.integers(0, 200))
label_lists = st.lists(st.sampled_from(["cat", "dog", "cow", "10", "9"]), min_size=1, max_size=40)
odd_names = st.text(min_size=1, max_size=30)
half_widths = st.floats(1e-6, 2.0)
