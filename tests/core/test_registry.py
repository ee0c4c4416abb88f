import importlib
import sys
from pathlib import Path

import pytest

from tapwright.agents import agents
from tapwright.conventions import conventions
from tapwright.core.registry import Registry
from tapwright.errors import (
    BrokenPluginError,
    MissingExtraError,
    UnknownNameError,
    UsageError,
    install_command,
)


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


def test_a_former_name_still_works_and_the_name_of_today_is_told() -> None:
    registry: Registry[object] = Registry(
        "tasks", "task suite", {"phone-l3": "pathlib:Path"}, renamed={"l3": "phone-l3"}
    )
    assert registry.names() == ["phone-l3"]
    assert registry.has("l3")
    assert not registry.has("l5")
    with pytest.warns(FutureWarning, match="the task suite 'l3' is called 'phone-l3' now"):
        assert registry.get("l3") is Path


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


def test_a_member_whose_extra_is_not_installed_fails_with_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needs_ray.py").write_text("import ray.data\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    registry: Registry[object] = Registry("animals", "animal", {"many": "needs_ray:Many"})
    with pytest.raises(MissingExtraError, match="the animal 'many'") as caught:
        registry.get("many")
    assert caught.value.hint == install_command("ray")


@pytest.mark.parametrize("requirement", ["Many-Words>=1", "many.words", "many_words[x]<3"])
def test_a_module_is_found_in_the_extras_whatever_its_dashes_and_case(
    requirement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = f"{requirement}; extra == 'big-one'"
    larger = [f"{requirement}; extra == 'all'", "click; extra == 'all'"]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: ["click>=8", *larger, wanted])
    (tmp_path / "needs_words.py").write_text("import many_words\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "needs_words", raising=False)
    registry: Registry[object] = Registry("animals", "animal", {"many": "needs_words:Many"})
    with pytest.raises(MissingExtraError) as caught:
        registry.get("many")
    assert caught.value.hint == install_command("big-one")


def test_a_missing_module_that_no_extra_brings_is_shown_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needs_what.py").write_text("import no_such_module_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry: Registry[object] = Registry("animals", "animal", {"odd": "needs_what:Odd"})
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        registry.get("odd")


MINE = """
class Own:
    name = "own"

OWN = Own()

def agent(task, seed):
    return None

def odd_agent(task):
    return None
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_members.py").write_text(MINE)
    (tmp_path / "broken_members.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    return "own_members"


def test_a_member_of_ones_own_counts_once_it_is_admitted(own_module: str) -> None:
    path = f"{own_module}:OWN"
    registry: Registry[object] = Registry("animals", "animal", {})
    with pytest.raises(UnknownNameError) as caught:
        registry.get(path)
    assert own_module not in sys.modules
    assert "only when you name it yourself" in caught.value.hint
    registry.admit(path)
    assert registry.get(path) is importlib.import_module(own_module).OWN
    assert registry.names() == [path]


def test_a_registered_name_stays_what_it_is() -> None:
    registry: Registry[object] = Registry("animals", "animal", {"cat": "pathlib:Path"})
    registry.admit("cat")
    assert registry.names() == ["cat"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("no_such_module:agent", "No module named 'no_such_module'"),
        (
            "broken_members:agent",
            r"broken_members failed: .*, line \d+: ZeroDivisionError",
        ),
        ("own_members:agnet", "own_members has no attribute 'agnet'"),
        ("own_members:odd_agent", r"too many .*; expected a function of \(task, seed\)"),
        ("own_members:OWN", r"Own; expected a function of \(task, seed\)"),
    ],
)
def test_what_cannot_be_admitted_is_named(own_module: str, path: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        agents.admit(path)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("own_members:Own", "the class Own; expected an object of it"),
        ("own_members:OWN", "Own without parse, prompt, render, source, space"),
    ],
)
def test_a_convention_is_an_object_with_all_its_parts(
    own_module: str, path: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        conventions.admit(path)


def test_another_package_that_cannot_be_imported_leaves_the_others_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old_zoo.py").write_text("from tapwright.plugins.registry import Registry\n")
    installed = tmp_path / "old_zoo-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: old-zoo\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[tapwright.animals]\ncat = old_zoo:Cat\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry: Registry[object] = Registry("animals", "animal", {"dog": "pathlib:Path"})
    problem = "the animal 'cat' of the package old-zoo cannot be imported: ModuleNotFoundError"
    with pytest.raises(BrokenPluginError, match=problem):
        registry.get("cat")
    with pytest.warns(UserWarning, match=problem):
        assert list(registry.installed()) == [("dog", Path)]
