"""What mkdocs asks for while it builds the site: pages made from the code, links, languages.

`mkdocs.yml` and `mkdocs.zh.yml` name this file as their hook; `make site` runs both. Generated
pages exist in memory alone, so the tree has nothing that could be out of date.
"""

import posixpath
import re
from collections.abc import Iterator
from importlib.metadata import files as packaged
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from frontend import node
from home import read_source, with_clone
from site_commands import command_pages
from site_names import name_pages
from site_schemas import error_page, schema_page

ROOT = Path(__file__).parents[1]
FROM_THE_TOP = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
                "SECURITY.md": "security.md"}  # fmt: skip
"""Pages of the tree's top -> what they are on the site."""
TRANSLATED = {"guides/web.md": "web.md", "guides/desktop.md": "desktop.md",
              "guides/templates.md": "tasks.md", "guides/record.md": "record.md",
              "guides/review.md": "review.md", "guides/watch.md": "watch.md"}  # fmt: skip
"""Chinese pages whose English one has another name."""
_FONT = "NotoSansSC-Regular.otf"
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(((?!\w+:|#)[^)\s]+)\)")
_TEMPLATE = re.compile(
    r"^\[(?P<words>[^\]]*)\]\((?:\.\./)+src/(?P<file>tapwright/testing/templates/\w+\.py)\)$",
    re.MULTILINE,
)
_CODE = re.compile(r"(^```.*?^```|^(?: {4}|\t).*?$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts the generated pages where the navigation has a folder for them, and names the source."""
    if source := read_source(ROOT):
        config.copyright = f'{config.copyright} · <a href="{source}">{source}</a>'
    if _is_english(config):
        for section in config.nav or ():
            for items in section.values():
                items[:] = [_with_pages(item) for item in items]
    return config


def _with_pages(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    ((title, target),) = item.items()
    if isinstance(target, str) and target.endswith("/"):
        return {title: [path for path in generated_pages() if path.startswith(target)]}
    return item


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages, and the font of the app for who has none with Chinese."""
    if _is_english(config):
        for path, text in generated_pages().items():
            files.append(File.generated(config, path, content=text))
        for one in packaged("pylopdf-fonts-zh-cn") or ():
            if name := {_FONT: _FONT, "LICENSE": "NotoSansSC-LICENSE.txt"}.get(one.name):
                source = str(one.locate())
                files.append(File.generated(config, f"assets/{name}", abs_src_path=source))
    styles = (ROOT / "frontend/src/fonts.css").read_text(encoding="utf-8")
    if not _is_english(config):
        styles = styles.replace(f"./{_FONT}", f"../../assets/{_FONT}")
    files.append(File.generated(config, "assets/fonts.css", content=styles))
    return files


def generated_pages() -> dict[str, str]:
    """Path on the site -> text of every page that is not a file of docs/."""
    top = {page: (ROOT / name).read_text(encoding="utf-8") for name, page in FROM_THE_TOP.items()}
    return {
        **command_pages(),
        **name_pages(),
        "errors.md": error_page(),
        "schemas.md": schema_page(),
        **top,
    }


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrites links that leave the edition: to the tree's top, or from Chinese to English."""
    markdown = with_clone(markdown, read_source(ROOT))
    path = page.file.src_uri
    markdown = _TEMPLATE.sub(_whole_file, markdown)
    if path.startswith(("python/", "commands/")) or path in ("reference.md", "errors.md"):
        # Found by their names, but after the pages that explain.
        page.meta.setdefault("search", {})["boost"] = 0.5
    if path == "reference.md":
        page.meta["search"] = {"exclude": True}  # the same names stand on pages of their own
    if path in FROM_THE_TOP.values() or path in ("figures.md", "dependencies.md"):
        page.meta.setdefault("search", {})["boost"] = 0.3
    return "".join(
        part if _CODE.fullmatch(part) else _LINK.sub(lambda found: _link(found, path, config), part)
        for part in _CODE.split(markdown)
    )


def _whole_file(found: re.Match[str]) -> str:
    """A template's text in place of the link to it, which leads nowhere on the site."""
    text = (ROOT / "src" / found["file"]).read_text(encoding="utf-8")
    return f"{found['words']}:\n\n```python\n{text}```"


def _link(found: re.Match[str], path: str, config: MkDocsConfig) -> str:
    picture, words, target = found.groups()
    file, _, anchor = target.partition("#")
    anchor = f"#{anchor}" if anchor else ""
    if _is_english(config):
        source = next((top for top, page in FROM_THE_TOP.items() if page == path), None)
        here = "." if source else posixpath.dirname(posixpath.join("docs", path))
        to = posixpath.normpath(posixpath.join(here, file))
        site = FROM_THE_TOP.get(to, posixpath.relpath(to, "docs"))
        return f"{picture}[{words}]({_relative(site, path)}{anchor})"
    to = posixpath.normpath(posixpath.join("zh", posixpath.dirname(path), file))
    if to.startswith("zh/"):
        return found[0]
    address = _relative(to, posixpath.join("zh", path))
    if picture:
        return f'<img src="{address}" alt="{words}">'
    return f'<a href="{re.sub(r"[.]md$", ".html", address)}{anchor}">{words}</a>'


def _relative(to: str, page: str) -> str:
    return posixpath.relpath(to, posixpath.dirname(page) or ".")


def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Any
) -> dict[str, Any]:
    """Tells the language switch where this page's other language is; home, if nowhere."""
    path = page.file.src_uri
    if _is_english(config):
        chinese = {english: name for name, english in TRANSLATED.items()}.get(path, path)
        to = chinese if (ROOT / "docs/zh" / chinese).exists() else "index.md"
        link = _relative(posixpath.join("zh", to), path)
        other = {"lang": "zh", "name": "中文", "link": link}
    else:
        english = TRANSLATED.get(path, path)
        link = _relative(english, posixpath.join("zh", path))
        other = {"lang": "en", "name": "English", "link": link}
    other["link"] = re.sub(r"[.]md$", ".html", other["link"])
    config.extra["other_language"] = other
    return context


@event_priority(-50)  # type: ignore[untyped-decorator]  # after the index is written, before it is made a script for file://
def on_post_build(config: MkDocsConfig) -> None:
    """Marks where a Chinese word ends in the index, as its search looks for whole words."""
    if not _is_english(config):
        index = Path(config.site_dir, "search/search_index.json")
        marked = node(ROOT / "scripts/site_words.mjs", text=index.read_text(encoding="utf-8"))
        index.write_text(marked, encoding="utf-8")


def _is_english(config: MkDocsConfig) -> bool:
    return bool(config.theme["language"] == "en")


def pages_of(config: MkDocsConfig) -> Iterator[tuple[str, str]]:
    """Path and title, in the navigation's order; the title is empty where the page has it."""

    def walk(items: list[Any]) -> Iterator[tuple[str, str]]:
        for item in items:
            if isinstance(item, str):
                yield item, ""
            else:
                ((title, target),) = item.items()
                if isinstance(target, str):
                    yield target, title
                else:
                    yield from walk(target)

    yield from walk(config.nav or [])
