import importlib.machinery
import re

import pytest

from tapwright.devices.miniwob import pages
from tapwright.errors import MissingExtraError


def test_a_machine_without_the_package_is_told_which_extra_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.machinery.PathFinder, "find_spec", lambda *_: None)
    with pytest.raises(MissingExtraError) as caught:
        pages._root()
    assert "tapwright[miniwob]" in f"{caught.value} {caught.value.hint}"


def test_only_pages_and_what_they_load_are_served() -> None:
    served = pages.files()
    assert {path.partition("/")[0] for path in served} == {"core", "common", "miniwob"}
    data, kind = served["miniwob/click-test.html"]
    assert kind == "text/html; charset=utf-8"
    assert b"Click the button." in data
    assert served["core/core.js"][1] == "text/javascript; charset=utf-8"
    assert b"content:url(data:image/png;base64," in served["miniwob/social-media.html"][0]


def test_a_whole_page_has_in_it_what_it_would_load() -> None:
    whole = pages.whole_page("miniwob/click-tab-2.html")[0]
    assert not re.search(rb"<script [^>]*src=|<link ", whole)
    scripts = [
        pages.files()[f"core/{name}"][0] for name in ("core.js", "jquery-ui/jquery-ui.min.js")
    ]
    at = [whole.index(b"<script>%s\n" % script) for script in scripts]
    assert at == sorted(at)  # they run in the order in which the page names them
    assert b"<style>%s</style>" % pages.files()["core/core.css"][0] in whole
