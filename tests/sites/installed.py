"""The sites that are installed here, for tests of what plays on them."""

import os

import pytest

from tapwright.sites import sites
from tapwright.sites.home import SiteHome
from tapwright.workflows.host import HostConfig

HOME = SiteHome(HostConfig(dict(os.environ)).kept("sites"))


def need(*names: str) -> None:
    """Skip the test where one of the sites is not installed, and say how it would be."""
    missing = [name for name in names if not HOME.has(sites.get(name))]
    if missing:
        pytest.skip(f"not installed here: tapwright sites install {' '.join(missing)}")
