"""What a page says in no language of ours: every word that a person is shown, but for data."""

import json
import re
from collections.abc import Iterator

from playwright.sync_api import Page

SHOWN = """() => {
    const words = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
        if (!node.parentElement.closest("script, style, kbd, code, .mono, [lang=en]"))
            words.push(node.textContent);
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]"))
        for (const name of ["aria-label", "title", "placeholder", "alt"])
            if (element.hasAttribute(name)) words.push(element.getAttribute(name));
    words.push(document.title);
    return words;
}"""
"""All that a person reads or hears, but for what is a key, code or English by its own word."""

NAMES = {
    "tapwright",
    "English",
    "Krippendorff",
    "McNemar",
    "Holm",
    "id",
    "Wi",
    "Fi",
    "Shift",
    "Ctrl",
    "CSV",
    "JSON",
    "fake",
    "eval",
    "run",
}
UNTRANSLATED = {"tap", "swipe", "success", "failure", "unknown", "infeasible", "hit", "miss"}
"""Words of our own that data has, too; a page says them in its language."""

KEEPS_DATA = """
    globalThis.told = [];
    const ask = globalThis.fetch;
    globalThis.fetch = async (...what) => {
        const answer = await ask(...what);
        answer.clone().text().then(text => told.push(text));
        return answer;
    };
"""
"""Keeps in `told` the JSON of all that the page was answered."""


def untranslated(page: Page) -> set[str]:
    """The English words that a person is shown, and that are neither names nor data."""
    everything = page.evaluate(SHOWN)  # first: what comes meanwhile is told, and not shown
    data = {text for one in page.evaluate("told") for text in texts_in(json.loads(one))}
    sentences = sorted((text for text in data if " " in text), key=len, reverse=True)
    found: set[str] = set()
    for shown in everything:
        for sentence in sentences:
            shown = shown.replace(sentence, " ")
        found |= words_in(shown)
    known = {word for text in (*data, page.url) for word in words_in(text)}
    return found - NAMES - (known - UNTRANSLATED)


def texts_in(said: object) -> Iterator[str]:
    """All strings of a JSON value; its keys too, as some are names of apps and the like."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, dict):
        for key, value in said.items():
            yield from (key, *texts_in(value))
    elif isinstance(said, list):
        for value in said:
            yield from texts_in(value)


def words_in(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]{2,}", text))
