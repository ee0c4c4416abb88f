"""The data that `eval run` measures on: by name, as MMBench-GUI finds it, or what lies here."""

import os
from pathlib import Path

from tapwright.cli.host import read_host
from tapwright.datasets.errors import DatasetMissingError
from tapwright.errors import quote_path
from tapwright.evaluate.errors import PlanError
from tapwright.workflows.datasets import benchmark_data, has_data_by_name

__all__ = ["find_config_data", "find_data"]

_OF_ONES_OWN = "of recordings of yours: tapwright eval make STORE -o bench, then --data bench"


def find_data(benchmark: str, source: str) -> str:
    """What `workflows.datasets.benchmark_data` finds for a benchmark.

    Raises:
        DatasetMissingError: it was not downloaded; names a folder of the current directory that
            has such data.
        TapwrightError: as `benchmark_data` does.
    """
    try:
        return benchmark_data(benchmark, source, read_host())
    except DatasetMissingError as error:
        here = _find_here(benchmark)
        if here is None and benchmark in ("l1", "l2"):
            raise DatasetMissingError(str(error), hint=f"{error.hint}; {_OF_ONES_OWN}") from error
        if here is None:
            raise
        raise DatasetMissingError(
            f"{error}; the folder {here} has such data ({error.hint} would download it)",
            hint=f"--data {quote_path(here)}",
        ) from error


def find_config_data(benchmark: str, source: str) -> str:
    """The data for a config file, which may name none: MMBench-GUI's own way, or by name.

    Raises:
        PlanError: the benchmark has no data by name.
        TapwrightError: as `find_data` does.
    """
    root = os.environ.get("LMUData")  # noqa: SIM112 - the original's spelling
    if not source and root and benchmark in ("l1", "l2"):
        source = str(Path(root) / "MMBench-GUI")
    if not source and not has_data_by_name(benchmark):
        raise PlanError("the config names no data", hint="--data DIR")
    return find_data(benchmark, source)


def _find_here(benchmark: str) -> Path | None:
    """A folder of the current directory in the layout that the benchmark reads."""
    from tapwright.datasets.prepared import dataset_of

    dataset = dataset_of(benchmark)
    if dataset is None:
        return None
    try:
        folders = [one for one in sorted(Path().iterdir()) if one.is_dir()]
        return next((one for one in folders if dataset.is_laid_out(one)), None)
    except OSError:
        return None  # the error that is being told is another
