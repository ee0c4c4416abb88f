"""Which episodes are kept apart for validation."""

import hashlib
from collections.abc import Mapping

from tapwright.errors import UsageError


def validation_ids(tasks: Mapping[str, str], *, share: float, seed: int) -> frozenset[str]:
    """The ids of the episodes for validation: `share` of them, rounded, whole, spread over tasks.

    `tasks` has the task's id for each episode's. With a share above 0 and two episodes or more,
    each side gets one at least. `seed` and the ids decide, the order of the episodes does not.

    Raises:
        UsageError: `share` is not at least 0 and below 1.
    """
    if not 0 <= share < 1:
        raise UsageError(f"a validation share of {share}; expected at least 0 and below 1")

    def chance(name: str) -> str:
        return hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "surrogatepass")).hexdigest()

    ordered = sorted(tasks, key=lambda id_: (chance(tasks[id_]), tasks[id_], chance(id_)))
    total = len(ordered)
    if share == 0 or total < 2:
        return frozenset()
    count = min(max(round(total * share), 1), total - 1)
    # Every so many-th of a list sorted by task takes from each task its share.
    return frozenset(ordered[(2 * number + 1) * total // (2 * count)] for number in range(count))
