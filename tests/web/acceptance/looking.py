"""A page at one size and in one language: what holds of every view, and a picture of it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Locator, Page, expect

from tests.web.acceptance.words import KEEPS_DATA
from tests.web.browsing import Watched, axe_findings, watched

Language = Literal["en", "zh"]

FRONTEND = Path(__file__).parents[3] / "frontend" / "src" / "i18n"
SIZES = {390: (390, 844), 1440: (1440, 900)}
TABLET = {1024: (1024, 768)}
LANGUAGES: tuple[Language, ...] = ("en", "zh")

SMALL = """() => [...document.querySelectorAll(
        "button, a[href], input, select, textarea, summary, [role=button], [role=option]")]
    .filter(one => one.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    .filter(one => !one.closest(".visually-hidden") && !one.matches(".skip, .stretched"))
    .map(one => [one, one.closest("label") ?? one])
    .filter(([one]) => !(one.matches("a, button.link") && isInline(one)))
    .map(([one, target]) => [one, target.getBoundingClientRect()])
    .filter(([_, box]) => box.width > 0 && (box.width < 24 || box.height < 24))
    .map(([one, box]) => `${one.outerHTML.slice(0, 160)}: ${box.width} x ${box.height}`);
    function isInline(one) {
        const words = one.parentElement.textContent.trim();
        return getComputedStyle(one).display === "inline" && words !== one.textContent.trim();
    }"""
"""Controls under 24 px; a link within a sentence may be as high as its line (WCAG 2.5.8).

What is stretched is pressed anywhere on its card."""


@cache
def _words(language: str) -> dict[str, str]:
    entry = re.compile(r'^  "([\w. -]+)": "((?:[^"\\]|\\.)*)",$', re.MULTILINE)
    files = sorted((FRONTEND / language).glob("*.ts"))
    found = [pair for file in files for pair in entry.findall(file.read_text("utf-8"))]
    return {key: text.replace('\\"', '"') for key, text in found}


@dataclass(frozen=True)
class Look:
    """How somebody looks at the app: window, language, theme, and where pictures go."""

    width: int
    language: Language
    album: Path | None
    dark: bool = False

    @property
    def locale(self) -> str:
        return {"en": "en-US", "zh": "zh-CN"}[self.language]

    @property
    def is_phone(self) -> bool:
        return self.width < 700

    @contextmanager
    def open(self, browser: Browser, *, allow: str = "") -> Iterator[Watched]:
        """A page that is looked at so, which keeps the data that it is answered."""
        with watched(
            browser,
            allow=allow,
            locale=self.locale,
            dark=self.dark,
            size=(SIZES | TABLET)[self.width],
            touch=self.is_phone,
        ) as found:
            found.page.add_init_script(KEEPS_DATA)
            yield found

    def word(self, key: str, **values: object) -> str:
        """What the app says for a word of its dictionary."""
        text = _words(self.language)[key]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
            forms = re.compile(rf"\{{{name}:([^|}}]*)\|([^}}]*)\}}")
            text = forms.sub(r"\1" if value == 1 else r"\2", text)
        return text

    def wait(self, page: Page, *, loading: bool = False) -> None:
        """Wait for what the page has to show; of one that is `loading`, that it says so."""
        says = page.get_by_text(self.word("loading"), exact=True)
        if loading:
            expect(says.first).to_be_visible()
        else:
            expect(says).to_have_count(0)
            page.wait_for_load_state("networkidle")

    def at(
        self, page: Page, name: str, *, main: Locator | None = None, loading: bool = False
    ) -> None:
        """See that what is shown is sound, and take a picture of it for the album.

        `main` is what is done here first: it is on the first screen, all of it.
        """
        if main is not None:
            expect(main).to_be_visible()
        self.wait(page, loading=loading)
        if self.album is not None:
            page.screenshot(path=self.album / f"{name}-{self.language}-{self.width}.png")
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} px too wide"
        inside = page.evaluate(
            "() => { const main = document.querySelector('main');"
            " return main.scrollWidth - main.clientWidth; }"
        )
        assert inside <= 0, f"what {name} shows is {inside} px too wide"
        if self.is_phone:
            small = page.evaluate(SMALL)
            assert small == [], f"{name}: {small}"
        if main is not None:
            expect(main).to_be_in_viewport(ratio=1)
        found = axe_findings(page)
        assert found == [], f"{name}: {found}"


def album() -> Path | None:
    """Where pictures go: below TAPWRIGHT_SCREENSHOTS, if somebody wants to look at them."""
    wanted = os.environ.get("TAPWRIGHT_SCREENSHOTS")
    if not wanted:
        return None
    path = Path(wanted)
    path.mkdir(parents=True, exist_ok=True)
    return path
