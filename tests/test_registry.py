import importlib
import sys

import pytest

from tapwright.errors import UnknownNameError
from tapwright.registry import Registry


def test_naming_a_member_imports_nothing_and_getting_it_does() -> None:
    registry: Registry[object] = Registry("animals", "animal", {"path": "wsgiref.headers:Headers"})
    sys.modules.pop("wsgiref.headers", None)
    assert registry.names() == ["path"]
    assert "wsgiref.headers" not in sys.modules
    assert registry.get("path") is importlib.import_module("wsgiref.headers").Headers


def test_an_attribute_may_be_a_method_of_a_class() -> None:
    registry: Registry[object] = Registry("animals", "animal", {"x": "pathlib:Path.cwd"})
    found = registry.get("x")
    assert callable(found)


def test_an_unknown_name_suggests_the_nearest() -> None:
    registry: Registry[object] = Registry("devices", "device", {"phone": "a:b", "fake": "a:b"})
    with pytest.raises(UnknownNameError, match="no device is called 'phnoe'") as caught:
        registry.get("phnoe")
    assert caught.value.hint == "did you mean 'phone'?"


def test_an_unknown_name_unlike_any_lists_what_there_is() -> None:
    registry: Registry[object] = Registry("devices", "device", {"phone": "a:b", "fake": "a:b"})
    with pytest.raises(UnknownNameError) as caught:
        registry.get("zzzzzz")
    assert caught.value.hint == "known: fake, phone"
