"""Runs of evaluations out of rows, for tests of what is made of runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from tapwright.evaluate.run_log import RunHeader, RunLog, SampleRow


def run_log(
    rows: Sequence[SampleRow],
    *,
    path: Path = Path("run"),
    created: str = "",
    benchmark: str = "l2",
    data_sha256: str = "",
    subject: str = "somebody",
    prompt_sha256: str = "",
    samples: int | None = None,
    config: Mapping[str, JsonValue] | None = None,
) -> RunLog:
    """A run of these rows, complete unless there are more `samples`."""
    header = RunHeader(
        tapwright="0",
        benchmark=benchmark,
        source="",
        data_sha256=data_sha256,
        subject=subject,
        prompt_sha256=prompt_sha256,
        samples=len(rows) if samples is None else samples,
        config=dict(config or {}),
    )
    return RunLog(path, header, created, rows)
