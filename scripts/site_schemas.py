"""Pages of the site about error codes and about what is written to disk, as JSON Schema."""

import json
from collections.abc import Iterator

from pydantic import TypeAdapter

from tapwright.annotate.finding_codes import TABLES
from tapwright.annotate.review import Review
from tapwright.core.actions import ActionAdapter
from tapwright.errors import every_error
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run_log import RunHeader, SampleRow

_ERRORS = """\
# Error codes

A message carries a code; `tapwright explain CODE` says on the terminal what stands here. A code
keeps its meaning for good.

| exit code | a command ended so |
|---|---|
| 0 | done |
| 1 | something could not be done; the message says what |
| 2 | the command was called in a wrong way |
| 3 | a device failed |
| 4 | a model cannot be queried |
| 5 | nothing was found |
"""
_ERROR = """
## {code}: {name} {{ #{anchor} }}

{about}

Exit code {exit_code}. In Python: `{module}.{name}`.
"""
_SCHEMAS = """\
# Files and configuration

The JSON of each file, as JSON Schema. [Episodes on disk](concepts/episodes.md) has the directories,
[formats](formats.md) other tools' files, [versions](concepts/versions.md) who reads what. That of a
[project](project.md)'s `tapwright.toml` is [a file of its own](tapwright.schema.json).
"""
_SCHEMA = """
## {title}

{about}

```json
{schema}
```
"""


def error_page() -> str:
    """Every code that a message may carry, under a heading of its own."""
    parts = [_ERRORS]
    for code, one in every_error().items():
        parts.append(
            _ERROR.format(
                code=code,
                anchor=code.lower(),
                name=one.kind.__name__,
                module=one.kind.__module__,
                exit_code=one.exit_code,
                about=one.meaning.replace("<", "&lt;"),
            )
        )
    for name, table in TABLES.items():
        rows = "".join(f"| `{code}` | {meaning} |\n" for code, meaning in table.items())
        parts.append(f"\n## Findings: {name}\n\n| code | meaning |\n|---|---|\n{rows}")
    return "".join(parts)


def schema_page() -> str:
    """The JSON Schema of what is written and read as JSON."""
    parts = [_SCHEMAS]
    for title, about, schema in _schemas():
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        parts.append(_SCHEMA.format(title=title, about=about, schema=text))
    return "".join(parts)


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
    yield "The header of a run", "The first line of `run.jsonl`.", RunHeader.model_json_schema()
    row = TypeAdapter(SampleRow).json_schema()
    yield "A row of a run", "One line of `run.jsonl` per sample.", row
    yield "A review", "One line of an annotator's reviews.", Review.model_json_schema()
