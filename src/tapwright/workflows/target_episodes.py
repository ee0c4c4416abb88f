"""Elements of grounding benchmarks as training data: each is a step that taps its middle."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.benchmarks.pointing import TargetBox
    from tapwright.conventions.convention import Convention
    from tapwright.formats.exporters.samples import TrainingEpisode
    from tapwright.formats.exporters.training_set import DroppedStep

__all__ = ["list_target_episodes"]


def list_target_episodes(
    benchmark: str, sources: Sequence[Path], convention: "Convention"
) -> "tuple[list[TrainingEpisode], list[DroppedStep]]":
    """The elements of a benchmark's data, and those that cannot be taught, each with the reason.

    The elements of one picture are one episode, so that a picture is never in training and in
    validation. Their prompt is the one that `eval run` has for the benchmark in the convention.

    Raises:
        UnknownNameError: there is no such benchmark.
        UsageError: it is none of grounding, or the convention asks for elements in words of its
            own, whose answers it cannot write.
        BadBenchmarkError: the data cannot be used.
    """
    from tapwright.benchmarks import benchmarks
    from tapwright.benchmarks.pointing import PointingBenchmark, TargetBox
    from tapwright.formats.exporters.samples import TrainingEpisode
    from tapwright.formats.exporters.training_set import DroppedStep

    _check_teachable(convention)
    episodes: list[TrainingEpisode] = []
    dropped: list[DroppedStep] = []
    for source in sources:
        loaded = benchmarks.get(benchmark)(str(source))
        if not isinstance(loaded, PointingBenchmark):
            raise UsageError(
                f"{benchmark} has no elements to be found", hint="l2 and screenspot have"
            )
        dropped += [DroppedStep(benchmark, None, why) for why in loaded.left_out]
        shown: dict[Path, list[TargetBox]] = {}
        for sample in loaded.samples():
            if isinstance(sample, TargetBox):
                shown.setdefault(sample.picture, []).append(sample)
            else:
                dropped.append(DroppedStep(sample.id, None, "the screen has no such element"))
        for id_, targets in _name_pictures(source, shown):
            app = targets[0].labels.get("app", benchmark)
            episodes.append(TrainingEpisode(id_, app, partial(_read, id_, app, targets)))
    return episodes, dropped


def _check_teachable(convention: "Convention") -> None:
    from tapwright.benchmarks.convention_answers import check_gives_places
    from tapwright.conventions.convention import GroundingConvention
    from tapwright.formats.exporters.samples import is_grounding_only

    check_gives_places(convention)
    if isinstance(convention, GroundingConvention) and not is_grounding_only(convention):
        raise UsageError(
            f"{convention.name} asks for an element in words of its own, and cannot write the "
            "answers to them",
            hint="a convention that only grounds, such as mmbench-gui or seeclick, or json",
        )


def _name_pictures(
    source: Path, shown: "Mapping[Path, list[TargetBox]]"
) -> "Iterator[tuple[str, list[TargetBox]]]":
    """Each picture's targets under a name of their own."""
    taken: set[str] = set()
    for picture, targets in shown.items():
        name = base = f"{source.name}-{picture.stem}"
        number = 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name)
        yield name, targets


def _read(id_: str, app: str, targets: "Sequence[TargetBox]") -> tuple[Episode, Mapping[int, str]]:
    steps = tuple(
        Step(
            target.observe(),
            Decision(Tap(at=target.box.center), target=target.instruction),
            step_instruction=target.instruction,
        )
        for target in targets
    )
    return Episode(id=id_, task_id=app, instruction="", steps=steps), {}
