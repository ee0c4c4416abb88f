import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tapwright
from tests.jobs.clusters import STORAGE


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head and two nodes; a killed node is replaced by the test that killed it."""
    import ray
    from ray.cluster_utils import Cluster

    directory = tempfile.mkdtemp(prefix="tw-ray-")  # the path of a socket may have 107 bytes
    with pytest.MonkeyPatch.context() as patch:
        # So that workers find what is defined here.
        here = Path(tapwright.__file__).parents[1], Path(__file__).parents[2]
        patch.setenv("PYTHONPATH", ":".join(map(str, here)))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # The driver notes the address of its cluster in Ray's default directory, which must exist.
        patch.setenv("RAY_TMPDIR", directory)
        Path(directory, "ray").mkdir()
        made = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "include_dashboard": False,
                "object_store_memory": STORAGE,
                "temp_dir": directory,
            },
        )
        try:
            for _ in range(2):
                made.add_node(num_cpus=1, object_store_memory=STORAGE)
            ray.init(address=made.address, log_to_driver=False, logging_level="error")
            yield made
        finally:
            ray.shutdown()
            made.shutdown()
            shutil.rmtree(directory, ignore_errors=True)
