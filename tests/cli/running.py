"""Runs the command line as people do: as a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

_LIMIT_S = 300


def tapwright(
    *words: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `tapwright` with these words; warnings are errors, and what does not end is killed."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "tapwright", *words],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=_LIMIT_S,
    )
