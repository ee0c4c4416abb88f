from pathlib import Path

import pytest

from tapwright.sites.home import SiteHome
from tests.sites.examples import ExampleSite, install_site, write_site


@pytest.fixture
def site(tmp_path: Path) -> ExampleSite:
    return write_site(tmp_path / "site")


@pytest.fixture
def home(site: ExampleSite, tmp_path: Path) -> SiteHome:
    """A home in which the site is installed."""
    home = SiteHome(tmp_path / "home")
    install_site(site, home)
    return home
