"""Every error that the web app can raise has words in both languages of its pages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ERRORS = Path(__file__).parents[2] / "frontend" / "src" / "i18n" / "errors.ts"

LOADED = """
import tapwright.web.app
from tapwright.errors import known_codes

print(*known_codes())
"""
"""Prints the codes of all errors that a server can have."""


@pytest.mark.slow
def test_pages_explain_the_errors_that_a_server_has_and_no_others() -> None:
    command = [sys.executable, "-c", LOADED]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    explained = re.findall(r'"(TW\d{3})"', ERRORS.read_text(encoding="utf-8"))
    assert len(explained) == len(set(explained))
    assert set(explained) == set(answer.stdout.split())
