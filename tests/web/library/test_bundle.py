import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, expect

from tapwright.cli.main import cli
from tapwright.errors import TapwrightError
from tapwright.web.bundle import write_bundle
from tapwright.web.library.library import Library
from tests.web.browsing import watched
from tests.web.library.world import NASTY, STRANGE, World


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None: ...


@contextmanager
def plain_server(directory: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(directory)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def disk(directory: Path) -> Iterator[str]:
    yield directory.as_uri()


@pytest.fixture(scope="module")
def bundle(kept: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle") / "site"
    library = Library(kept.store, [kept.runs])
    names = list(library.runs.names())
    write_bundle(out, library, episodes=["long", "b", STRANGE], runs=names)
    return out


@pytest.mark.slow
@pytest.mark.parametrize("way", [disk, plain_server])
def test_a_copy_opens_from_the_disk_and_from_any_server_and_asks_nobody_else(
    way: Callable[[Path], AbstractContextManager[str]], bundle: Path, browser_process: Browser
) -> None:
    """Check 23."""
    with way(bundle) as root, watched(browser_process, offline=way == disk) as found:
        page = found.page
        page.goto(f"{root}/index.html")
        expect(page.get_by_role("heading", name="Evaluation runs")).to_be_visible()
        page.get_by_role("link", name="group/far").click()
        page.get_by_role("button", name="miss", exact=False).first.click()
        picture = page.locator(".gallery img").first
        expect(picture).to_be_visible()
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("image => image.naturalWidth > 0")
        page.get_by_role("button", name=re.compile("^1: ")).click()
        expect(page.get_by_role("region", name="Sample 1").get_by_text(NASTY)).to_be_visible()
        page.get_by_text("Log entry").click()
        expect(page.get_by_text('"prompt_sha256"')).to_be_visible()
        page.goto(f"{root}/index.html#/compare?a=random&b=tree")
        expect(page.get_by_text("points", exact=False).first).to_be_visible()
        page.goto(f"{root}/index.html#/episodes")
        expect(page.get_by_text("3 of 3 episodes")).to_be_visible()
        page.get_by_role("searchbox", name="Search").press_sequentially("中文")
        expect(page.get_by_text("1 of 3 episodes")).to_be_visible()
        page.goto(f"{root}/index.html#/episodes/{quote(STRANGE, safe='')}?step=1&overlay=box,point")
        expect(page.get_by_role("heading", level=1)).to_have_text(NASTY)
        expect(page.get_by_role("heading", name="Step 2")).to_be_visible()
        page.wait_for_selector("[data-mark=box]")
        page.keyboard.press("k")
        expect(page.get_by_role("heading", name="Step 1")).to_be_visible()
        assert page.get_by_role("button", name="Apply").count() == 0
        assert page.get_by_role("button", name="Delete steps").count() == 0
        outside = [one for one in found.asked if not one.startswith(f"{root}/")]
        assert outside == []


def test_a_copy_keeps_the_original_bytes_and_is_whole_or_not_there(
    bundle: Path, kept: World, tmp_path: Path
) -> None:
    for step in kept.store.read("long").steps:
        shot = step.observation.screenshot
        assert (bundle / "pictures" / f"{shot.sha256}.png").read_bytes() == shot.data
    with pytest.raises(TapwrightError, match="already exists"):
        write_bundle(bundle, Library(kept.store), episodes=["b"])
    with pytest.raises(TapwrightError, match="not built"):
        write_bundle(tmp_path / "out", Library(kept.store), episodes=["b"], built=tmp_path)
    missing = CliRunner().invoke(
        cli, ["episodes", "bundle", str(kept.store.root), "nobody", "-o", str(tmp_path / "out")]
    )
    assert missing.exception is not None
    assert not (tmp_path / "out").exists()


def test_the_commands_write_copies(kept: World, tmp_path: Path) -> None:
    some = ["episodes", "bundle", str(kept.store.root), "b", "-o", str(tmp_path / "some")]
    assert CliRunner().invoke(cli, some).exit_code == 0
    viewed = ["eval", "view", str(kept.runs), "-o", str(tmp_path / "runs")]
    assert CliRunner().invoke(cli, viewed).exit_code == 0
    index = (tmp_path / "runs" / "data" / "index.js").read_text("ascii")
    told = json.loads(index.partition("index: ")[2].removesuffix("};\n"))
    assert [run["name"] for run in told["runs"]["runs"]] == ["group/far", "random", "tree"]
