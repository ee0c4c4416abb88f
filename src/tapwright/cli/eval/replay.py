"""`tapwright eval replay`: published answers, read again, beside their published verdicts."""

import sys
from pathlib import Path

import click

from tapwright.cli.options import admit_by
from tapwright.cli.output import Cell, Format, format_option, print_message, print_rows
from tapwright.workflows.own_names import admit_convention

_SHOWN = 5


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval replay output_server/SSPro.jsonl --convention mai-ui\n"
    "  tapwright eval replay results.json --convention qwen2.5-vl --rules screenspot-pro"
)
@click.argument(
    "files",
    metavar="LOG...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
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
    help="The rule of a suite.  [default: the family's own evaluator, else screenspot-pro; "
    "a wrong name lists the right ones]",
)
@format_option
def replay(files: tuple[Path, ...], name: str, rules: str, format_: Format) -> None:
    """Judge the published answers of each LOG again, and compare with its published verdicts.

    A LOG has rows as ScreenSpot-Pro's and MAI-UI's evaluators write them, JSON or lines of it:
    raw_response, bbox in pixels, img_size, correctness. Each row is equal, different or left out
    with its reason; exit 1 if some differ, or none could be compared.
    """
    from tapwright.benchmarks.score_rules import find_rule
    from tapwright.conventions import conventions
    from tapwright.evaluate.replay import find_point_rule
    from tapwright.evaluate.replay import replay as judge

    rule = find_point_rule(rules or find_rule("screenspot-pro", convention=name).name)
    rows: list[dict[str, Cell]] = []
    agree = True
    for path in files:
        found = judge(path, conventions.get(name), rule)
        agree = agree and bool(found.equal) and not found.different
        rows.append(
            {
                "log": str(path),
                "rules": rule.name,
                "rows": found.rows,
                "equal": found.equal,
                "different": len(found.different),
                "left_out": found.left_out.total(),
            }
        )
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
