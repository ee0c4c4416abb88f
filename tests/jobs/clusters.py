"""What happens to the cluster of a test."""

from typing import Any

STORAGE = 80_000_000


def kill_a_node(cluster: Any) -> None:
    """All of its processes at once, as when a machine goes."""
    node = next(one for one in cluster.worker_nodes)
    cluster.remove_node(node, allow_graceful=False)
