"""Writes the documentation's site, English and Chinese, with llms.txt: what `make site` runs.

Run: python scripts/write_site.py [DIRECTORY]; locks/docs.txt must be installed. Ends with 1 at
the first warning. The site needs no server and no network: open DIRECTORY/index.html.
"""

import argparse
import os
import posixpath
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")  # docs/dependencies.md says it

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort

from home import read_source, with_clone
from site_hooks import generated_pages, pages_of

ROOT = Path(__file__).parents[1]
EDITIONS = {"mkdocs.yml": ".", "mkdocs.zh.yml": "zh"}
_LLMS = """\
# tapwright

> The workbench for GUI-agent data and evaluation: tasks, recorded demonstrations, reasoning,
> training data, benchmarks, reports.

## Pages

"""
_NO_GUIDES = ("changelog.md", "figures.md", "python/", "reference.md", "schemas.md", "zh/")


def write_site(out: Path) -> None:
    """Both editions below `out`, which is emptied first.

    Raises:
        Abort: mkdocs warned of something.
    """
    shutil.rmtree(out, ignore_errors=True)
    texts = []
    for file, folder in EDITIONS.items():
        config = load_config(str(ROOT / file), site_dir=str(out / folder), strict=True)
        build(config)
        texts += _texts(config, out / folder, folder)
    _write_llms(out, texts)


def _texts(config: MkDocsConfig, out: Path, folder: str) -> list[tuple[str, str, str]]:
    """Address, title and Markdown of the pages, in the navigation's order; each also as a file."""
    found = []
    for path, _ in pages_of(config):
        source = Path(config.docs_dir, path)
        text = source.read_text("utf-8") if source.exists() else generated_pages()[path]
        text = with_clone(text, read_source(ROOT))
        (out / path).write_text(text, encoding="utf-8")
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        assert title, f"{path} has no title"
        found.append((posixpath.normpath(posixpath.join(folder, path)), title[1], text))
    return found


def _write_llms(out: Path, texts: Sequence[tuple[str, str, str]]) -> None:
    """llms.txt: what there is, for a reader that is a model; llms-full.txt: the guides' words."""
    pages = "".join(f"- [{title}]({address}){_summary(text)}\n" for address, title, text in texts)
    (out / "llms.txt").write_text(_LLMS + pages, encoding="utf-8")
    guides = [text for address, _, text in texts if not address.startswith(_NO_GUIDES)]
    (out / "llms-full.txt").write_text("\n\n".join(guides), encoding="utf-8")


def _summary(text: str) -> str:
    """The first sentence below the title."""
    body = re.sub(r"\A.*?^# .+?$", "", text, count=1, flags=re.MULTILINE | re.DOTALL).strip()
    first = " ".join(body.partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[.。:])(?:\s|$)", first)[0]
    plain = not sentence.startswith(("|", "#", "`", "!", "-"))
    return f": {sentence}" if sentence and plain else ""


def main() -> None:
    """Write the site, or end with its first warning."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "directory", nargs="?", type=Path, default=ROOT / "site", metavar="DIRECTORY"
    )
    out = parser.parse_args().directory
    try:
        write_site(out)
    except Abort as error:
        sys.exit(f"write_site: {error}")
    sys.stdout.write(f"{out}/index.html\n")


if __name__ == "__main__":
    main()
