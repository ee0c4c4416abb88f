"""The sites that are installed here, for tests of what plays on them."""

import os

import pytest

from tapwright.sites import sites
from tapwright.workflows.host import HostConfig
from tapwright.workflows.sites import site_home

HOME = site_home(HostConfig(dict(os.environ)))


def need(*names: str) -> None:
    """Skip the test where one of the sites is not installed, and say how it would be."""
    missing = [name for name in names if not HOME.has(sites.get(name))]
    if missing:
        pytest.skip(f"not installed here: tapwright sites install {' '.join(missing)}")
