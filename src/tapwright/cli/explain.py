"""`tapwright explain`: the meaning of a code, of an error or of a check of an answer."""

from collections.abc import Iterable

import click

from tapwright.cli.output import Cell, Format, format_option, print_record, print_rows
from tapwright.errors import UnknownNameError, every_error


@click.command(epilog="\b\nExample:\n  tapwright explain TW204\n  tapwright explain DONE_MISSING")
@click.argument("code", required=False)
@format_option
def explain(code: str | None, format_: Format) -> None:
    """Explain a CODE, of an error or of a check of reasoning; or list all errors."""
    errors = every_error()
    if code is None:
        rows: list[dict[str, Cell]] = [
            {"code": name, "meaning": one.meaning.splitlines()[0], "exit_code": one.exit_code}
            for name, one in errors.items()
        ]
        print_rows(rows, format_, key="code")
        return
    found = errors.get(code.upper())
    if found is None:
        _explain_check(code, errors, format_)
        return
    record = {
        "code": found.code,
        "name": found.kind.__name__,
        "meaning": " ".join(found.meaning.split()),
        "exit_code": found.exit_code,
    }
    print_record(record, format_, key="code")


def _explain_check(code: str, errors: Iterable[str], format_: Format) -> None:
    from tapwright.annotate.finding_codes import TABLES

    for name, table in TABLES.items():
        if code.upper() in table:
            record = {"code": code.upper(), "name": name, "meaning": table[code.upper()]}
            print_record(record, format_, key="code")
            return
    raise UnknownNameError("code", code, [*errors, *(one for t in TABLES.values() for one in t)])
