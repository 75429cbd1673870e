"""What is inside a structure is named by its path, in dataframes as in files."""

from __future__ import annotations

import json

import pytest

import ropewalk as rw
from ropewalk.data.records import records_of
from ropewalk.errors import ColumnNotFoundError, LabelTypeError
from support import need

META = [{"label": 1, "in": {"x": "t"}}, None, {"label": None, "in": None}, {"label": 1, "in": {"x": None}}]
ROWS = [{"meta": meta, "y": y, "meta.id": i} for i, (meta, y) in enumerate(zip(META, [1, 2, 1, 1], strict=True))]


def of_arrow(_):
    return need("pyarrow").Table.from_pylist(ROWS)


def of_polars(_):
    return need("polars").DataFrame(ROWS)


def of_lazy(_):
    return need("polars").LazyFrame(ROWS)


def of_pandas(_):
    return of_arrow(_).to_pandas(types_mapper=need("pandas").ArrowDtype)


def of_duckdb(_):
    return need("duckdb").from_arrow(of_arrow(_))


def of_parquet(folder):
    need("pyarrow.parquet").write_table(of_arrow(folder), folder / "t.parquet")
    return folder / "t.parquet"


def of_json(folder):
    (folder / "t.json").write_text(json.dumps(ROWS))
    return folder / "t.json"


@pytest.mark.parametrize("source", [of_arrow, of_polars, of_lazy, of_pandas, of_duckdb, of_parquet, of_json])
def test_paths_lead_to_the_same_labels_everywhere(source, tmp_path, silent):
    records = records_of(source(tmp_path))
    assert records.count(["meta.label", "meta.in.x"]) == {(1, "t"): 1, (None, None): 2, (1, None): 1}
    assert records.lists(["meta.in.x", "meta.id"]) == [["t", None, None, None], [0, 1, 2, 3]]
    assert rw.read_outcomes(source(tmp_path), truth="y", predictions="meta.label", missing="drop").n_items == 2
    with pytest.raises(ColumnNotFoundError, match=r"'meta\.x' was not found"):
        records.count(["meta.x", "y"])
    with pytest.raises(LabelTypeError):
        records.count(["meta.in", "y"])
