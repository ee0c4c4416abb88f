import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_reference_says_what_the_code_says() -> None:
    spec = spec_from_file_location("write_reference", ROOT / "scripts/write_reference.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    written = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    assert script.reference() == written, "run: python scripts/write_reference.py"


def test_every_public_name_can_be_imported() -> None:
    code = (
        "import pkgutil, importlib, tapwright\n"
        "for info in pkgutil.walk_packages(tapwright.__path__, 'tapwright.'):\n"
        "    if info.name != 'tapwright.__main__':\n"
        "        exec(f'from {info.name} import *')\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
