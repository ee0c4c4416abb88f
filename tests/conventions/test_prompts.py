"""The prompts in the docs: every file with the hash of its text."""

import hashlib
import re
from pathlib import Path

from tapwright.conventions.family import read_template

_FILES = sorted(Path("src/tapwright/conventions/prompts").glob("*.txt"))


def test_every_prompt_stands_in_the_docs_with_its_hash() -> None:
    page = Path("docs/conventions.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([\w.-]+)` \| `([0-9a-f]{64})` \|$", page, re.MULTILINE))
    found = {
        path.stem: hashlib.sha256(read_template(path.stem).encode()).hexdigest() for path in _FILES
    }
    assert told == found
