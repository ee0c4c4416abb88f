"""Mobile-Env's pickles looked at record by record, as its `visualize_pickle.py` shows them.

https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/annotation-tool/pkl_tools/visualize_pickle.py
and `edit_pickle.py` count records: 0 is the head, and each other one has an event and the screen
after it. An import folds the events into actions, and has other steps.
"""

from collections.abc import Sequence
from pathlib import Path

from tapwright.core.episode import Decision, Episode, Step
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.mobile_env.gestures import fold_events
from tapwright.formats.mobile_env.records import Trajectory, read_trajectories
from tapwright.formats.temporary_storage import TemporaryStorage

__all__ = ["view_records"]


def view_records(path: Path) -> list[Episode | UnreadableEpisode]:
    """The trajectories of a pickle, in their order; step n of each is record n + 1.

    An id is what the original names a folder of frames: "task:trajectory%trajectories#records".

    Raises:
        ForeignDataError: nothing in the file can be read.
    """
    found = list(read_trajectories(path, None, TemporaryStorage()))
    return [
        one if isinstance(one, UnreadableEpisode) else _view(one, number, len(found))
        for number, one in enumerate(found)
    ]


def _view(trajectory: Trajectory, number: int, of: int) -> Episode:
    records = trajectory.records
    steps = tuple(
        Step(
            record.observation,
            Decision(fold_events([record.event])),
            reward=record.event.reward,
            instructions=record.event.instructions,
            raw=(record.event,),
        )
        for record in records
    )
    task = (trajectory.definition or trajectory.task_id).replace("/", "_")
    return Episode(
        id=f"{task}:{number}%{of}#{len(records) + 1}",
        task_id=trajectory.task_id,
        instruction="\n".join(_commands(trajectory)),
        steps=steps,
        agent=trajectory.annotator,
    )


def _commands(trajectory: Trajectory) -> Sequence[str]:
    return trajectory.commands or (trajectory.task_name,)
