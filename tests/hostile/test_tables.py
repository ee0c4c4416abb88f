"""Tables whose texts are none: Parquet checks no encoding, and the library none before it reads."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tapwright.errors import TapwrightError
from tapwright.formats.exporters.parquet import read_parquet
from tapwright.formats.importers.parquet_rows import read_rows as read_foreign_rows
from tapwright.formats.pack.tables import wrap_read_errors
from tapwright.tasks.templates.tables import read_rows


def read_packed(path: Path) -> Iterator[object]:
    with wrap_read_errors(path):
        yield from pq.read_table(path).to_pylist()


@pytest.mark.parametrize(
    "read",
    [read_rows, read_parquet, lambda path: read_foreign_rows(path, ["name"]), read_packed],
)
def test_a_text_of_a_table_that_is_no_unicode_is_refused_by_its_file(
    read: Callable[[Path], Iterator[object]], tmp_path: Path
) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"name": pa.array([b"\xd6x"]).view(pa.string())}), path)
    with pytest.raises(TapwrightError, match=r"a\.parquet"):
        list(read(path))
