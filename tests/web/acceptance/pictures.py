"""`make pictures`: every page and state as it looks, on contact sheets for people to look at.

Run: python -m tests.web.acceptance.pictures [--out DIR] [--only PART]
A sheet has one size, language and theme: 390, 1024 and 1440 px, English and Chinese, light and
dark. It begins with the pages of a small team that has recorded and measured something while an
agent plays, then has what they show when there is nothing, nothing that fits, no such thing, no
answer yet, an error, and no permission. Of a page that scrolls, its end stands below its beginning.
"""

import argparse
import io
import itertools
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Page

from tests.web.acceptance.looking import LANGUAGES, SIZES, TABLET, Look
from tests.web.acceptance.routes import PAGES, REFUSED, STATES, show, show_state
from tests.web.acceptance.site import Site, empty_site, queue_work, sign_in, team_site
from tests.web.browsing import chromium
from tests.web.library.test_live import playing

COLUMNS = {390: 7, 1024: 4, 1440: 3}
SHOWN_PX = {390: 300, 1024: 520, 1440: 700}
"""How many pictures a row has, and how wide each is."""
GAP_PX, CAPTION_PX = 12, 20
END = "() => { const main = document.querySelector('main'); const before = main.scrollTop;" \
      " main.scrollTo(0, main.scrollHeight); return main.scrollTop > before + 40; }"  # fmt: skip
"""Goes to the end of a page, and says whether it was further than is worth a picture."""


def draw(look: Look, page: Page, site: Site, bare: Site) -> Iterator[tuple[str, Image.Image]]:
    """Each page and each state, with its name."""
    for name, path in PAGES.items():
        show(page, site, path)
        yield name, _picture(look, page, name)
    for state, of in STATES.items():
        at = bare if of.is_empty else site
        page.context.clear_cookies()
        page.unroute_all()
        sign_in(page, at, of.who)
        for name, path in of.pages.items():
            show_state(page, at, of, path)
            yield f"{name}, {state}", _picture(look, page, name, loading=of.is_loading)


def _picture(look: Look, page: Page, name: str, *, loading: bool = False) -> Image.Image:
    try:
        look.wait(page, loading=loading)
    except AssertionError as error:  # it is drawn all the same
        sys.stderr.write(f"{name}: {error}\n")
    shots = [_shot(page)]
    if page.evaluate(END):
        shots.append(_shot(page))
    tall = Image.new("RGB", (shots[0].width, sum(one.height for one in shots)))
    for number, one in enumerate(shots):
        tall.paste(one, (0, number * one.height))
    return tall


def _shot(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def sheet(pictures: list[tuple[str, Image.Image]], width: int) -> Image.Image:
    """The pictures in rows, each as high as its highest, with their names."""
    wide, font = SHOWN_PX[width], ImageFont.load_default(14)
    many = COLUMNS[width]
    rows = [pictures[at : at + many] for at in range(0, len(pictures), many)]
    small = [
        [(name, one.resize((wide, round(one.height * wide / one.width)), Image.Resampling.LANCZOS))
         for name, one in row]
        for row in rows
    ]  # fmt: skip
    heights = [max(one.height for _, one in row) + CAPTION_PX + GAP_PX for row in small]
    drawn = Image.new("RGB", (many * (wide + GAP_PX) + GAP_PX, sum(heights)), "#808890")
    pen = ImageDraw.Draw(drawn)
    top = 0
    for row, height in zip(small, heights, strict=True):
        for column, (name, one) in enumerate(row):
            left = GAP_PX + column * (wide + GAP_PX)
            pen.text((left, top + 2), name, fill="white", font=font)
            drawn.paste(one, (left, top + CAPTION_PX))
        top += height
    return drawn


def main() -> None:
    """Draw the sheets, and say where they lie."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("pictures"), metavar="DIR")
    parser.add_argument("--only", default="", metavar="PART", help="those with it in their name")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        team_site(Path(folder, "site")) as site,
        empty_site(Path(folder, "bare")) as bare,
        playing(site.world.store.root) as (agent, _),
        chromium() as browser,
    ):
        queue_work(site)
        agent.allowed.release()
        for width, language, dark in itertools.product(SIZES | TABLET, LANGUAGES, (False, True)):
            path = options.out / f"{width}-{language}-{'dark' if dark else 'light'}.png"
            if options.only in path.name:
                look = Look(width, language, options.out, dark)
                with look.open(browser, allow=f"{REFUSED}|.") as found:
                    drawn = list(draw(look, found.page, site, bare))
                sheet(drawn, width).save(path, optimize=True)
                sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
