"""Every page of the app, and every state of them, as addresses of a site (`site.py`)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, Route

from tests.web.acceptance.site import Site, begun, sign_in

MAIN = Path(__file__).parents[3] / "frontend/src/main.tsx"

PAGES: Mapping[str, str] = {
    "login": "login",
    "home": "",
    "record": "record/{session}",
    "queue": "queue",
    "team": "team",
    "episodes": "episodes",
    "episodes-beside": "episodes?open=long",
    "episodes-cards": "episodes?view=cards",
    "episode": "episodes/long?step=3&overlay=point,box,tree",
    "episode-slider": "episodes/long?step=1&view=slider",
    "review": "review?episode=long&annotator=vlm",
    "recordings": "review/recordings?show=any",
    "recording": "review/recordings/long?show=any",
    "runs": "runs",
    "run": "runs/random",
    "run-table": "runs/random?view=table",
    "run-sample": "runs/random?sample=0",
    "compare": "compare?a=random&b=tree",
    "matrix": "matrix?runs=%5B%22random%22%2C%22tree%22%2C%22group%2Ffar%22%5D",
    "watch": "watch",
    "takes": "takes?task=long",
}
_LISTS = ("home", "queue", "team", "episodes", "review", "recordings", "runs", "watch", "takes")


@dataclass(frozen=True)
class State:
    """A state that pages can be in: who looks at them, where, and how the server answers."""

    pages: Mapping[str, str]
    who: str = "root"
    answers: Literal["well", "never", "badly"] = "well"
    is_empty: bool = False

    @property
    def is_loading(self) -> bool:
        return self.answers == "never"


def _only(*names: str) -> Mapping[str, str]:
    return {name: PAGES[name] for name in names}


STATES: Mapping[str, State] = {
    "empty": State({**_only(*_LISTS), "review": "review"}, is_empty=True),
    "unfit": State(
        {
            "episodes": "episodes?q=nothing+like+it",
            "runs": "runs?q=nothing+like+it",
            "run": "runs/random?q=nothing+like+it",
            "recordings": "review/recordings?show=reject",
            "matrix": "matrix",
        }
    ),
    "gone": State(
        {
            "record": "record/nothing",
            "episode": "episodes/nothing",
            "run": "runs/nothing",
            "recording": "review/recordings/nothing",
            "compare": "compare?a=nothing&b=tree",
            "takes": "takes?task=nothing",
            "nowhere": "nowhere",
        }
    ),
    "loading": State(_only(*_LISTS, "episode", "run", "compare", "matrix"), answers="never"),
    "broken": State(_only(*_LISTS, "episode", "run", "compare", "matrix"), answers="badly"),
    "refused": State(
        _only("team", "review", "recordings", "runs", "run", "compare", "matrix", "watch"),
        who="anna",
    ),
}

REFUSED = "40[134]|500|closed before the connection"
"""What a browser says of the answers of these states."""

_BROKEN = {"code": "TW206", "message": "no space left on the device", "hint": "", "values": {}}


def routes() -> set[str]:
    """The patterns of main.tsx."""
    return set(re.findall(r'pattern: "([^"]*)"', MAIN.read_text("utf-8")))


def show(page: Page, site: Site, path: str) -> None:
    """Open a page as whoever has signed in, else as root, with a demonstration where it has one."""
    if path != "login" and not page.context.cookies():
        sign_in(page, site)
    if "{session}" in path:
        path = path.format(session=begun(page, site, "fake"))
    page.goto(f"{site.address}/{path}")


def show_state(page: Page, site: Site, state: State, path: str) -> None:
    """Open a page in a state, as who has signed in."""
    page.unroute_all()
    if state.answers != "well":
        page.route(re.compile(r"/api/(?!me$)"), _never if state.is_loading else _badly)
    page.goto(f"{site.address}/{path}")


def _never(route: Route) -> None:
    """The page waits."""


def _badly(route: Route) -> None:
    route.fulfill(status=500, content_type="application/json", body=json.dumps(_BROKEN))
