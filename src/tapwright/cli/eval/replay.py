"""`tapwright eval replay`: published answers, read again, beside their published verdicts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.options import EXISTING, EXISTING_FILE, admit_by
from tapwright.cli.output import Cell, Format, format_option, print_message, print_rows
from tapwright.workflows.own_names import admit_convention

if TYPE_CHECKING:
    from tapwright.benchmarks.score_rules import PointRule
    from tapwright.evaluate.replay import Replay

_SHOWN = 5
_EACH = "each"


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval replay output_server/SSPro.jsonl --convention mai-ui\n"
    "  tapwright eval replay results.json --convention qwen2.5-vl --rules screenspot-pro\n"
    "  tapwright eval replay results.json --convention gta1 --rules each"
)
@click.argument("files", metavar="LOG...", nargs=-1, required=True, type=EXISTING_FILE)
@click.option(
    "--convention",
    "name",
    required=True,
    callback=admit_by(admit_convention),
    help="The convention that the answers are in: tapwright conventions ls.",
)
@click.option(
    "--rules",
    default="",
    metavar="NAME",
    help="The rule of a suite, or 'each': a line for the family's own evaluator, the papers' rule "
    "and ours, and so how much the score moves between them.  [default: the family's own "
    "evaluator, else screenspot-pro; a wrong name lists the right ones]",
)
@click.option(
    "--annotations",
    metavar="PATH",
    type=EXISTING,
    help="The suite's annotations, a file or a folder of JSON, for logs whose rows lack the size "
    "of the picture: img_filename, img_size.",
)
@format_option
def replay(
    files: tuple[Path, ...], name: str, rules: str, annotations: Path | None, format_: Format
) -> None:
    """Judge the published answers of each LOG again, and compare with its published verdicts.

    A LOG has rows as ScreenSpot-Pro's, MAI-UI's and GUI-R1's evaluators write them, JSON or lines
    of it: raw_response, bbox in pixels, img_size, correctness. Each row is equal, different or
    left out with its reason; exit 1 if some differ, or none could be compared. `score` is the share
    of hits by the rule, `published` that of the published verdicts about the same rows.
    """
    from tapwright.benchmarks.score_rules import find_rule
    from tapwright.conventions import conventions
    from tapwright.evaluate.replay import find_point_rule, picture_sizes, rules_that_differ
    from tapwright.evaluate.replay import replay as judge

    sizes = picture_sizes(annotations) if annotations else {}
    convention = conventions.get(name)
    rows: list[dict[str, Cell]] = []
    if rules == _EACH:
        for path in files:
            judged = [(one, judge(path, convention, one, sizes)) for one in rules_that_differ(name)]
            rows += [_line(path, one, found) for one, found in judged]
        print_rows(rows, format_, key="log")
        sys.exit(0 if all(row["score"] is not None for row in rows) else 1)
    rule = find_point_rule(rules or find_rule("screenspot-pro", convention=name).name)
    agree = True
    for path in files:
        found = judge(path, convention, rule, sizes)
        agree = agree and bool(found.equal) and not found.different
        rows.append(_line(path, rule, found))
        for reason, number in found.left_out.most_common():
            print_message(f"{path}: {number:,} rows left out: {reason}")
        for one in found.different[:_SHOWN]:
            print_message(
                f"{path}: {one.id}: published {'right' if one.theirs else 'wrong'}, ours "
                f"{'right' if one.ours else 'wrong'}: {one.answer[-120:]!r} {one.reason}".rstrip()
            )
        if len(found.different) > _SHOWN:
            print_message(f"{path}: {len(found.different) - _SHOWN:,} more differ")
    print_rows(rows, format_, key="log")
    sys.exit(0 if agree else 1)


def _line(path: Path, rule: "PointRule", found: "Replay") -> dict[str, Cell]:
    compared = found.equal + len(found.different)
    return {
        "log": str(path),
        "rules": rule.name,
        "score": round(100 * found.hits / compared, 2) if compared else None,
        "published": round(100 * found.published / compared, 2) if compared else None,
        "rows": found.rows,
        "equal": found.equal,
        "different": len(found.different),
        "left_out": found.left_out.total(),
    }
