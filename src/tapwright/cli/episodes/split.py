"""`tapwright episodes split`: parts of a store that share nothing."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tapwright.cli import output, selecting
from tapwright.cli.directories import open_catalog, open_store, store_argument
from tapwright.cli.options import PATH, option, out_option
from tapwright.errors import UsageError, quote_path
from tapwright.store.ids import directory_name
from tapwright.store.selection import EVERYTHING, Selection

if TYPE_CHECKING:
    from tapwright.curate.splitting import SplitBy
    from tapwright.store.catalog_entry import CatalogEntry
    from tapwright.store.store import EpisodeStore

_PREFIX = "split:"


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes split episodes --by app --ratio 0.8,0.1,0.1\n"
    "  tapwright episodes ls episodes --where 'tag(\"split:test\")'\n"
    "  tapwright episodes split episodes --by task --ratio 0.9,0.1 --as stores -o parts"
)
@store_argument
@selecting.selection_options
@option(
    "--by",
    type=click.Choice(["app", "task", "agent", "episode"]),
    required=True,
    help="What must not be in two parts.",
)
@option("--ratio", default="0.8,0.1,0.1", help="The shares of the parts.")
@option(
    "--names", default="", help="Their names.  [default: train,val,test, or train,test for two]"
)
@option("--seed", type=int, default=0, help="Another seed, another split.")
@option(
    "--as",
    "kind",
    type=click.Choice(["tags", "lists", "stores"]),
    default="tags",
    help="tags: split:NAME on each episode; lists: OUT/NAME.txt with ids; stores: OUT/NAME.",
)
@out_option("Where lists and stores go.", kind=PATH)
@option(
    "--stable",
    is_flag=True,
    help="Draw by name and seed alone: episodes recorded later move none; shares on average.",
)
@option("--dry-run", is_flag=True, help="Show the parts, and write nothing.")
@selecting.yes_option
@output.format_option
def split(
    store: Path,
    selection: Selection,
    by: "SplitBy",
    ratio: str,
    names: str,
    seed: int,
    kind: Literal["tags", "lists", "stores"],
    out: Path | None,
    stable: bool,
    dry_run: bool,
    yes: bool,
    format_: output.Format,
) -> None:
    """Split the episodes of STORE so that no app, task or agent is in two parts.

    Near-duplicates, as `episodes dedupe` finds them, stay together. The shares are met as closely
    as what stays together lets them, and the same episodes and seed give the same parts. An episode
    of several apps counts by the first one.
    """
    from tapwright.curate.duplicates import FindDuplicates
    from tapwright.curate.splitting import read_ratio, split_entries
    from tapwright.store.tags import check_tags

    shares = read_ratio(ratio, names)
    check_tags([_PREFIX + name for name in shares])
    if (kind == "tags") == (out is not None):
        raise UsageError(f"--as {kind} {'takes no' if out else 'needs'} -o DIR")
    catalog = open_catalog(open_store(store))
    ids, readable = selecting.select_ids(catalog, selection)
    wanted = set(ids)
    entries = [entry for entry in catalog.select(EVERYTHING) if entry.id in wanted]
    nameless = [entry.id for entry in entries if by == "app" and not entry.apps]
    if nameless:
        raise UsageError(
            f"{len(nameless)} of {len(entries)} episodes name no app, such as {nameless[0]}",
            hint="split them --by task or --by episode",
        )
    search = FindDuplicates(catalog, wanted)
    with output.show_progress("hash screens", search.pictures) as advance:
        groups = search.run(advance=advance)
    for id_ in search.broken:
        output.print_failure(id_, "has a picture that cannot be read; not compared", "TW200")
    parts = split_entries(
        entries, [group.ids for group in groups], shares, by=by, seed=seed, stable=stable
    )
    output.print_rows(_make_rows(entries, parts, shares, by), format_, key="part")
    output.print_message(f"reached {_tell_shares(entries, parts, shares)} of the episodes")
    selecting.print_unfit(catalog.store, ids)
    empty = [name for name in shares if name not in set(parts.values())]
    if empty:
        few = f"there are few {by}s, or duplicates join them; try another --seed"
        output.print_message(f"{', '.join(empty)}: no episode: {few}")
    if dry_run:
        output.hint("nothing was written; repeat it without --dry-run")
    elif out is None:
        selecting.confirm_change(len(entries), catalog.count(), "split", yes=yes)
        _tag(store, entries, parts)
    elif kind == "lists":
        _write_lists(out, entries, parts, shares)
    else:
        _write_stores(catalog.store, out, entries, parts, shares)
    sys.exit(0 if readable else 1)


def _make_rows(
    entries: "Sequence[CatalogEntry]",
    parts: Mapping[str, str],
    shares: Mapping[str, float],
    by: "SplitBy",
) -> list[dict[str, output.Cell]]:
    from tapwright.curate.splitting import find_key

    rows: list[dict[str, output.Cell]] = []
    for name, share in shares.items():
        found = [entry for entry in entries if parts[entry.id] == name]
        rows.append(
            {
                "part": name,
                "episodes": len(found),
                "share": round(len(found) / len(entries), 4),
                "asked": round(share, 4),
                f"{by}s": len({find_key(entry, by) for entry in found}),
                "steps": sum(entry.steps for entry in found),
            }
        )
    return rows


def _tell_shares(
    entries: "Sequence[CatalogEntry]", parts: Mapping[str, str], shares: Mapping[str, float]
) -> str:
    counts = Counter(parts.values())
    return ", ".join(
        f"{name} {counts[name] / len(entries):.1%} (asked: {share:.1%})"
        for name, share in shares.items()
    )


def _tag(store: Path, entries: "Sequence[CatalogEntry]", parts: Mapping[str, str]) -> None:
    from tapwright.store.tags import write_tags

    changed = 0
    with output.show_progress("tag", len(entries)) as advance:
        for entry in entries:
            tag = _PREFIX + parts[entry.id]
            old = [one for one in entry.tags if one.startswith(_PREFIX) and one != tag]
            changed += write_tags(store / directory_name(entry.id), add=[tag], remove=old)
            advance(1)
    output.print_message(f"{changed} tagged, {len(entries) - changed} were so already")
    names = " ".join(f"--remove {_PREFIX}{name}" for name in sorted(set(parts.values())))
    output.hint(
        f"take the tags away: tapwright episodes tag {quote_path(store)} "
        f"--where 'steps >= 0' {names}"
    )


def _write_lists(
    out: Path,
    entries: "Sequence[CatalogEntry]",
    parts: Mapping[str, str],
    shares: Mapping[str, float],
) -> None:
    from tapwright.files.atomic import atomic_files

    with atomic_files(out) as beside:
        for name in shares:
            lines = [f"{entry.id}\n" for entry in entries if parts[entry.id] == name]
            (beside / f"{name}.txt").write_text("".join(lines), "utf-8", newline="\n")
    output.print_message(f"{len(shares)} lists in {out}")


def _write_stores(
    source: "EpisodeStore",
    out: Path,
    entries: "Sequence[CatalogEntry]",
    parts: Mapping[str, str],
    shares: Mapping[str, float],
) -> None:
    from tapwright.curate.copying import CopyPlan, StoreCopier

    for name in shares:
        there = open_store(out / name)
        for id_ in open_catalog(there).ids(EVERYTHING) if there.root.exists() else ():
            if parts.get(id_) != name:
                raise UsageError(
                    f"{there.root}: holds {id_!r}, which does not belong to {name} now",
                    hint="give a new directory",
                )
    with output.show_progress("copy", len(entries)) as advance:
        for name in shares:
            ids = [entry.id for entry in entries if parts[entry.id] == name]
            for one in StoreCopier(open_store(out / name)).copy(CopyPlan(source, ids, {})):
                if one.error is not None:
                    raise one.error
                advance(1)
    output.print_message(f"{len({*parts.values()})} stores in {out}")
