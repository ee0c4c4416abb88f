"""A program that records episodes into a shared store: `python -m … URL DIRECTORY NAME COUNT`.

It may be killed at any moment, and goes on when it is started again.
"""

import sys
from pathlib import Path

from tapwright.formats.shared.push import WorkingCopy
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags
from tests.store.episodes import episode


def main(url: str, directory: str, name: str, count: str) -> None:
    """Record COUNT episodes, put them a few at a time, and tag the one that all share."""
    copy = WorkingCopy(url, Path(directory))
    store = EpisodeStore(directory)
    copy.push()
    for number in range(int(count)):
        id_ = f"{name}-{number}"
        if not copy.find([id_]) and id_ not in store:
            store.write(episode(1 + number % 3, id_))
        if number % 2:
            copy.push(ended=True)
    copy.fetch("common", again=True)
    write_tags(Path(directory) / "common", add=[f"by-{name}"])
    copy.push()


if __name__ == "__main__":
    main(*sys.argv[1:])
