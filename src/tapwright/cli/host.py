"""The configuration of this machine, from the environment."""

import os

from tapwright.workflows.host import HostConfig

__all__ = ["read_host"]


def read_host() -> HostConfig:
    """The configuration of the machine that this is called on: here, or a cluster's worker."""
    return HostConfig(dict(os.environ))
