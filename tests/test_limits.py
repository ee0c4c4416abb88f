import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
_ROW = re.compile(r"^\| `(tapwright\S*)\.(MAX_\w+)` \| ([\d,.]+) \|", re.MULTILINE)


def limits() -> dict[tuple[str, str], float]:
    """The limits in the modules called `limits`, and of the others that have some."""
    files = [*(ROOT / "src/tapwright").rglob("limits.py")]
    names = [".".join(one.relative_to(ROOT / "src").with_suffix("").parts) for one in files]
    return {
        (name, constant): value
        for name in [
            *names,
            "tapwright.core.actions",
            "tapwright.core.episode",
            "tapwright.core.observation",
            "tapwright.core.screenshot",
            "tapwright.faces.guard",
            "tapwright.files.regular",
            "tapwright.models.transport",
            "tapwright.store.states",
        ]
        for constant, value in vars(import_module(name)).items()
        if constant.startswith("MAX_") and constant in import_module(name).__all__
    }


def test_the_page_of_limits_has_every_one_with_its_value() -> None:
    page = (ROOT / "docs/limits.md").read_text(encoding="utf-8")
    told = {(module, name): value for module, name, value in _ROW.findall(page)}
    assert told == {key: f"{value:,}" for key, value in limits().items()}
