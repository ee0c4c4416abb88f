"""Data by name: where it lies on this machine, and what a benchmark or an import reads of it."""

from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.core.secret_destinations import HUB_TOKEN, Destination, NamedBy
from tapwright.errors import UnknownNameError
from tapwright.workflows.host import HostConfig

if TYPE_CHECKING:
    from tapwright.datasets.dataset import Access

__all__ = ["benchmark_data", "data_access", "has_data_by_name", "recordings"]


def data_access(host: HostConfig) -> "Access":
    """The servers and the token, under the names of the hub's and of Google's own variables."""
    from tapwright.datasets.dataset import Access
    from tapwright.datasets.hub import saved_token

    hub = host.variables.get("HF_ENDPOINT", "").rstrip("/")
    return Access(
        hub=hub,
        storage=host.variables.get("STORAGE_EMULATOR_HOST", "").rstrip("/"),
        token=host.secret(HUB_TOKEN, Destination(hub, NamedBy.ENVIRONMENT)) or saved_token(),
        proxies=host.proxies,
    )


def benchmark_data(benchmark: str, source: str, host: HostConfig) -> str:
    """What a benchmark loads: the given directory, unpacked if need be, or its data set by name.

    That of a suite is the Python that has it. A benchmark without a data set by name gets `source`
    as it is.

    Raises:
        SuiteMissingError: nothing is given, and the suite is not installed.
        DatasetMissingError: nothing is given, and its data set was not downloaded.
        BadLayoutError: a link in the given directory leads out of it.
    """
    from tapwright.datasets.home import DatasetHome
    from tapwright.datasets.prepared import check_links, dataset_of, prepare_directory
    from tapwright.harnesses import harnesses
    from tapwright.workflows.suites import find_suite

    if harnesses.has(benchmark):
        return find_suite(harnesses.get(benchmark), source, host)
    dataset = dataset_of(benchmark)
    if source:
        check_links(Path(source))
    if dataset is None:
        return source
    home = DatasetHome(host.kept("data"))
    if not source:
        return str(home.find(dataset.name))
    return str(prepare_directory(dataset, Path(source), home))


def has_data_by_name(benchmark: str) -> bool:
    """Whether a benchmark needs no source: it has a suite of tasks, or a data set by name.

    Raises:
        UnknownNameError: there is no such benchmark.
    """
    from tapwright.benchmarks import benchmarks
    from tapwright.datasets.prepared import dataset_of
    from tapwright.harnesses import harnesses
    from tapwright.tasks import suites

    # These have a suite of the built-in phone, others the one of their name.
    named = ("l3", "l4", *suites.names(), *harnesses.names())
    known = {*named, *benchmarks.names()}
    if benchmark not in known and ":" not in benchmark:
        raise UnknownNameError("benchmark", benchmark, known)
    return benchmark in named or dataset_of(benchmark) is not None


def recordings(path: Path, host: HostConfig) -> Path:
    """A path to import from, or the directory of the data set of that name, if there is no path.

    Raises:
        DatasetMissingError: it was not downloaded.
    """
    from tapwright.datasets import datasets
    from tapwright.datasets.home import DatasetHome

    name = str(path)
    if path.exists() or name not in datasets.names() or not datasets.get(name).format:
        return path
    return DatasetHome(host.kept("data")).find(name)
