"""A team of three with a queue and runs, on a library, served to real browsers."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.phone import tasks
from tapwright.tasks.task import Task
from tapwright.web.app import WebConfig
from tapwright.web.team.team import Team
from tests.conftest import painted
from tests.web.browsing import serving
from tests.web.library.world import World, annotate, make_world

DEVICES = ("fake", "fake of anna", "fake of ben")
BUTTONS = (
    Task("press", "Get to button 2", ("fake",), When(TreeShows("Button 2"))),
    Task("press_on", "Get to button 3", ("fake",), When(TreeShows("Button 3"))),
)
"""Tasks that can be done on the devices of a site."""


@dataclass
class Site:
    address: str
    world: World
    team: Team
    tokens: dict[str, str]


@contextmanager
def team_site(root: Path) -> Iterator[Site]:
    """A site whose members are root, an admin, rita, a reviewer, anna and ben, annotators."""
    world = make_world(root, painted())
    annotate(world.store)
    with _site_of(world) as site:
        yield site


@contextmanager
def empty_site(root: Path) -> Iterator[Site]:
    """The same members, and nothing that they have recorded, measured or been asked for."""
    with _site_of(World(root)) as site:
        yield site


@contextmanager
def _site_of(world: World) -> Iterator[Site]:
    world.root.mkdir(exist_ok=True)
    team = Team(f"sqlite:///{world.root}/team.db")
    roles = {"root": "admin", "rita": "reviewer", "anna": "annotator", "ben": "annotator"}
    tokens = {name: team.accounts.add(name, role) for name, role in roles.items()}  # type: ignore[arg-type]
    config = WebConfig(
        episodes=world.store.root,
        runs=(world.runs,),
        suites={"phone": tasks, "buttons": lambda: BUTTONS},
        devices={name: lambda: FakeDevice(EndlessScenes()) for name in DEVICES},
        authenticator=team.accounts,
        team=team,
    )
    try:
        with serving(config) as address:
            yield Site(address, world, team, tokens)
    finally:
        team.close()


def queue_work(site: Site) -> None:
    """A task that two have recorded, one that is leased, and one that waits."""
    queue = site.team.queue
    first, *_ = queue.assign("phone", ["wifi_off"], copies=2)
    for name, episode in (("anna", "a"), ("ben", "b")):
        queue.lease(name, first)
        queue.complete(name, first, episode)
    queue.assign("phone", ["wifi_off", "dark_mode_on"], copies=2)
    queue.lease("root")


def sign_in(page: Page, site: Site, name: str = "root") -> None:
    """Sign in on the page for it, and be where the site begins."""
    page.goto(f"{site.address}/login")
    page.get_by_label(re.compile("^(Your token|你的令牌)$")).fill(site.tokens[name])
    page.keyboard.press("Enter")
    expect(page.get_by_text(name, exact=True)).to_be_visible()


def begun(page: Page, site: Site, device: str, instruction: str = "看一看") -> str:
    """A demonstration of the one who has signed in."""
    answer = page.request.post(
        f"{site.address}/api/sessions",
        data={"device": device, "instruction": instruction},
        headers={"X-Tapwright": "1", "Origin": site.address},
    )
    session: str = answer.json()["session"]
    return session
