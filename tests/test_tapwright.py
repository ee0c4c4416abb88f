import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tapwright


def test_the_example_of_the_package_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(tapwright)
    assert found.attempted > 5
    assert found.failed == 0


def test_every_name_of_the_package_is_that_of_its_module() -> None:
    names = {name: module for module, names in tapwright._MODULES.items() for name in names}
    assert sorted([*names, "__version__"]) == sorted(tapwright.__all__)
    for name, module in names.items():
        expected = (
            import_module(f"tapwright.{name}")
            if module == "tapwright"
            else getattr(import_module(module), name)
        )
        assert getattr(tapwright, name) is expected, name
    assert set(tapwright.__all__) <= set(dir(tapwright))


def test_the_package_is_imported_without_the_rest() -> None:
    code = (
        "import sys, tapwright\n"
        "print([name for name in sys.modules if name.startswith(('tapwright.', 'pydantic'))])\n"
        "from tapwright import Episode, Size, devices, suites\n"
        "print(Size(2, 3).width, devices.get('fake').__name__, 'phone' in suites.names())\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "2 named True"]


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tapwright.nonsense  # noqa: B018
