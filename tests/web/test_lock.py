import json
from pathlib import Path

FRONTEND = Path(__file__).parents[2] / "frontend"


def test_the_lock_names_no_address_that_a_package_comes_from() -> None:
    text = (FRONTEND / "package-lock.json").read_text(encoding="utf-8")
    packages = json.loads(text)["packages"]
    assert len(packages) > 10
    assert not [name for name, package in packages.items() if "resolved" in package]


def test_every_locked_package_has_its_hash() -> None:
    packages = json.loads((FRONTEND / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert all("integrity" in package for name, package in packages.items() if name)
