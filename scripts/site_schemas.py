"""Pages of the site about error codes and about what is written to disk, as JSON Schema."""

import inspect
import json
from collections.abc import Iterator

from pydantic import TypeAdapter

from tapwright.actions import ActionAdapter
from tapwright.annotate.finding_codes import TABLES
from tapwright.annotate.review import Review
from tapwright.errors import every_error
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run_log import RunHeader, SampleRow

_EXIT_CODES = {
    0: "done",
    1: "something could not be done; the message says what",
    2: "the command was called in a wrong way",
    3: "a device failed",
    4: "a model cannot be queried",
    5: "nothing was found",
}


def error_page() -> str:
    """Every code that a message may carry, under a heading of its own."""
    lines = ["# Error codes", ""]
    lines += ["A message carries a code; `tapwright explain CODE` says on the terminal what stands here."]
    lines += ["A code keeps its meaning for good.", "", "| exit code | a command ended so |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in _EXIT_CODES.items()]
    lines += [""]
    for code, kind in every_error().items():
        about = inspect.getdoc(kind) or ""
        lines += [f"## {code}: {kind.__name__} {{ #{code.lower()} }}", "", about.replace("<", "&lt;"), ""]
        lines += [f"Exit code {kind.exit_code}. In Python: `{kind.__module__}.{kind.__name__}`.", ""]
    for name, table in TABLES.items():
        lines += [f"## Findings: {name}", "", "| code | meaning |", "|---|---|"]
        lines += [f"| `{code}` | {meaning} |" for code, meaning in table.items()]
        lines += [""]
    return "\n".join(lines)


def schema_page() -> str:
    """The JSON Schema of what is written and read as JSON."""
    lines = ["# Files and configuration", ""]
    lines += ["The JSON of each file, as JSON Schema. [Episodes on disk](concepts/episodes.md) has the"]
    lines += ["directories, [formats](formats.md) other tools' files, [versions](concepts/versions.md) who reads what.", ""]
    for title, about, schema in _schemas():
        lines += [f"## {title}", "", about, "", "```json"]
        lines += [json.dumps(schema, indent=2, ensure_ascii=False), "```", ""]
    return "\n".join(lines)


def _schemas() -> Iterator[tuple[str, str, object]]:
    yield (
        "An action",
        "`action` in a line of `steps.jsonl`; places are fractions of the screen, times seconds.",
        ActionAdapter.json_schema(),
    )
    yield (
        "The plan of a run",
        "`[plan]` in the file of `tapwright eval run --config`, and `plan` in a run's header.",
        RunPlan.model_json_schema(),
    )
    yield ("The header of a run", "The first line of `run.jsonl`.", RunHeader.model_json_schema())
    yield ("A row of a run", "One line of `run.jsonl` per sample.", TypeAdapter(SampleRow).json_schema())
    yield ("A review", "One line of an annotator's reviews.", Review.model_json_schema())
