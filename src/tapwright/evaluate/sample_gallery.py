"""A gallery of samples for a report: small pictures with answers, hits beside misses."""

import base64
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar, get_args

from PIL import Image

from tapwright.agents.text_matching import collapse_repetition
from tapwright.benchmarks.benchmark import Sample, SampleSource
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.pointing import TargetBox
from tapwright.benchmarks.understanding import ChoiceQuestion
from tapwright.core.actions import PointAction
from tapwright.core.episode import Episode, describe_actions
from tapwright.core.geometry import Box, Point
from tapwright.drawing import marks
from tapwright.errors import BadImageError, BadTreeError, StoreError
from tapwright.evaluate.error_analysis import answered_point, diagnose, intended_unit
from tapwright.evaluate.run_log import EPISODES, RunLog, SampleRow
from tapwright.models.query_endings import ENDINGS
from tapwright.store.store import EpisodeStore

R = TypeVar("R")
RowVerdict: TypeAlias = Literal["hit", "miss", "unscored", "failed"]

_THUMB_PX, _FRAME_PX, _CROP_PX = 320, 150, 320
_MAX_FRAMES = 12
FEW_RUNS = 6
_MOST_CARDS, _MOST_BYTES = 72, 2_300_000
"""Of many runs together: their page is opened to compare, and should open at once."""


@dataclass(frozen=True, slots=True)
class GalleryPicture:
    """A picture inside the file (a data URI), what it shows in words, and words for below it."""

    uri: str
    alt: str
    width: int
    height: int
    caption: str = ""


@dataclass(frozen=True, slots=True)
class GalleryCard:
    """One sample's result for people to look at."""

    run: int
    level: str
    subject: str
    id: str
    verdict: RowVerdict
    status: str
    instruction: str
    answer: str
    note: str = ""
    labels: tuple[str, ...] = ()
    shot: GalleryPicture | None = None
    crop: GalleryPicture | None = None
    options: tuple[tuple[str, str], ...] = ()
    right: str = ""
    chosen: str = ""
    frames: tuple[GalleryPicture, ...] = ()

    @property
    def weight(self) -> int:
        """How many characters its pictures take."""
        shots = [shot for shot in (self.shot, self.crop, *self.frames) if shot is not None]
        return sum(len(shot.uri) for shot in shots)


@dataclass(frozen=True, slots=True)
class SampleGallery:
    """The cards that fit, and how many results have none."""

    cards: tuple[GalleryCard, ...]
    left_out: int


def make_gallery(
    runs: Sequence[RunLog],
    benchmarks: Sequence[SampleSource[Sample]],
    *,
    per_run: int,
    max_bytes: int,
) -> SampleGallery:
    """At most `per_run` cards of each run, two thirds of them misses, and `max_bytes` in all.

    Of more than six runs, fewer cards, and those on one benchmark show the same samples.
    """
    many = len(runs) > FEW_RUNS
    if many:
        per_run, max_bytes = min(per_run, max(2, _MOST_CARDS // len(runs))), _MOST_BYTES
    known = {
        (benchmark.name, benchmark.data_sha256): {
            sample.id: sample for sample in benchmark.samples()
        }
        for benchmark in benchmarks
    }
    groups: dict[tuple[str, str], list[tuple[int, RunLog]]] = {}
    for number, run in enumerate(runs):
        groups.setdefault((run.header.benchmark, run.header.data_sha256), []).append((number, run))
    room = _Room(max_bytes // max(1, len(runs)))
    for about, group in groups.items():
        samples, screens = known.get(about, {}), _Screens()
        stores = {number: EpisodeStore(run.path.parent / EPISODES) for number, run in group}
        chosen = _pick_shared(group, per_run) if many else None
        for number, run, row in chosen or _pick_each(group, per_run):
            if room.has(number):
                room.add(_card(number, run, row, samples, stores[number], screens))
    cards = room.cards()
    return SampleGallery(tuple(cards), sum(len(run.rows) for run in runs) - len(cards))


_Chosen: TypeAlias = tuple[int, RunLog, SampleRow]


class _Room:
    """The cards of each run, until its share of the page is full."""

    def __init__(self, share: int) -> None:
        self._share = share
        self._cards: dict[int, list[GalleryCard]] = {}
        self._full: set[int] = set()
        self._used: Counter[int] = Counter()

    def has(self, run: int) -> bool:
        """Whether a run may have a card more."""
        return run not in self._full

    def add(self, card: GalleryCard) -> None:
        """Take a card, or find its run full."""
        if self._used[card.run] + card.weight > self._share:
            self._full.add(card.run)
            return
        self._used[card.run] += card.weight
        self._cards.setdefault(card.run, []).append(card)

    def cards(self) -> list[GalleryCard]:
        """All cards, run by run."""
        return [card for run in sorted(self._cards) for card in self._cards[run]]


class _Screens:
    """The picture of the latest sample, decoded and scaled once for all runs that show it."""

    def __init__(self) -> None:
        self._id = ""
        self._whole: Image.Image | None = None
        self._small: Image.Image | None = None

    def of(self, sample: TargetBox) -> tuple[Image.Image, Image.Image]:
        """The whole picture, and its thumbnail."""
        if self._whole is None or self._small is None or self._id != sample.id:
            self._whole = sample.observe().screenshot.image()
            self._small, self._id = marks.thumbnail(self._whole, _THUMB_PX), sample.id
        return self._whole, self._small


def _pick_each(group: Sequence[tuple[int, RunLog]], count: int) -> Iterator[_Chosen]:
    for number, run in group:
        for row in _pick(run.rows, count):
            yield number, run, row


def _pick_shared(group: Sequence[tuple[int, RunLog]], count: int) -> list[_Chosen]:
    """The samples on which the runs differ most, with the row of each run."""
    rows: dict[str, list[_Chosen]] = {}
    for number, run in group:
        for row in run.rows:
            rows.setdefault(row.key, []).append((number, run, row))
    hits = {key: sum(row.score == 1.0 for _, _, row in found) for key, found in rows.items()}
    half = len(group) / 2
    by_difference = sorted(rows, key=lambda key: abs(hits[key] - half))
    most = [
        key for key in by_difference if abs(hits[key] - half) == abs(hits[by_difference[0]] - half)
    ]
    keys = _spread(most, count) if len(most) >= count else by_difference[:count]
    return [one for key in keys for one in rows[key]]


def row_verdict(row: SampleRow) -> RowVerdict:
    """A full score is a hit; what has no answer failed, whatever the rule counts it as.

    What has an answer, or was played, may have no score: as where a person helped.
    """
    if not ENDINGS[row.ending].has_answer:
        return "failed"
    if row.score is None:
        return "unscored"
    return "hit" if row.score >= 1.0 else "miss"


def _pick(rows: Sequence[SampleRow], count: int) -> list[SampleRow]:
    """Misses first, then hits, both spread over the run; failures last."""
    piles = {
        kind: [row for row in rows if row_verdict(row) == kind] for kind in get_args(RowVerdict)
    }
    hits = _spread(piles["hit"], max(count // 3, count - len(piles["miss"])))
    misses = _spread(piles["miss"], count - len(hits))
    others = [*piles["unscored"], *piles["failed"]]
    return [*misses, *hits, *_spread(others, count - len(hits) - len(misses))]


def _spread(rows: Sequence[R], count: int) -> list[R]:
    if len(rows) <= count:
        return list(rows)
    return [rows[number * len(rows) // count] for number in range(count)]


def _card(
    number: int,
    run: RunLog,
    row: SampleRow,
    samples: Mapping[str, Sample],
    store: EpisodeStore,
    screens: _Screens,
) -> GalleryCard:
    plain = GalleryCard(
        run=number,
        level=run.header.benchmark,
        subject=run.header.subject,
        id=row.key,
        verdict=row_verdict(row),
        status=row.status,
        instruction=row.about.instruction,
        answer=row.answer or "",
        note=_note(row),
        labels=tuple(value for name, value in row.labels.items() if value and name != "platform"),
    )
    try:
        match samples.get(row.id):
            case ChoiceQuestion() as question:
                return _question_card(plain, question, row)
            case TargetBox() as target:
                return _target_card(plain, target, row, screens)
            case _:
                pass
        episode = row.detail.get("episode")
        return _episode_card(plain, store.read(episode)) if isinstance(episode, str) else plain
    except (BadBenchmarkError, BadImageError, StoreError) as error:
        return replace(plain, note=f"no picture: {error}")


def _note(row: SampleRow) -> str:
    """What went wrong, or how an attempt ended."""
    if row.error is not None:
        return f"{row.error.code}: {row.error.message}"
    ending, steps = row.detail.get("ending"), row.detail.get("steps")
    return f"{ending} after {steps} steps, episode {row.detail.get('episode')}" if ending else ""


def _question_card(plain: GalleryCard, question: ChoiceQuestion, row: SampleRow) -> GalleryCard:
    image = marks.thumbnail(question.observe().screenshot.image(), _THUMB_PX)
    return replace(
        plain,
        shot=_picture(image, f"Screen of {question.labels['app']} that the question is about"),
        options=tuple(row.about.options.items()) or question.options,
        right=row.about.truth if isinstance(row.about.truth, str) else question.answer,
        chosen=row.parsed if isinstance(row.parsed, str) else "",
    )


def _target_card(
    plain: GalleryCard, target: TargetBox, row: SampleRow, screens: _Screens
) -> GalleryCard:
    whole, thumb = screens.of(target)
    point = answered_point(row)
    hit = plain.verdict == "hit"
    color = marks.GREEN if hit else marks.VERMILION
    small = marks.mark_box(thumb, target.box, color=marks.BLUE)
    if point is not None:
        small = marks.mark_point(small, point, color=color)
    seen = f"Screen of {target.labels['app']}; dashed box: the target"
    where = "" if point is None else "; crosshairs: the point that was answered"
    return replace(
        plain,
        shot=_picture(small, seen + where),
        crop=_picture(_crop(whole, target.box, point, color), "The same, enlarged at the element"),
        note=plain.note or _miss(target, row),
    )


def _miss(target: TargetBox, row: SampleRow) -> str:
    """Why the answer misses, in words: the diagnosis, then what lies where it points."""
    why = diagnose(row)
    if why is None or why == "no place":
        return ""
    if why == "scale error":
        return f"scale error: read as {intended_unit(row)} it would be a hit"
    point = answered_point(row)
    if why == "swapped axes" or point is None:
        return "swapped axes: with x and y exchanged it would be a hit"
    width, height = target.box.right - target.box.left, target.box.bottom - target.box.top
    middle = target.box.center
    across = abs(point.x - middle.x) / width if width else 0.0
    along = abs(point.y - middle.y) / height if height else 0.0
    words = f"off the middle by {across:.1f} widths and {along:.1f} heights of the box"
    tree = target.observe().ui_tree
    try:
        node = tree.at(point) if tree is not None else None
    except (BadBenchmarkError, BadTreeError):
        return f"{why}: {words}"
    name = collapse_repetition(node.label)[:60] if node is not None else ""
    return f"{why}: on “{name}”, {words}" if name else f"{why}: {words}"


def _crop(whole: Image.Image, box: Box, point: Point | None, color: str) -> Image.Image:
    """The surroundings of the box, with the point in it when it is near, three to two."""
    width, height = whole.size
    left, top, right, bottom = (
        box.left * width, box.top * height, box.right * width, box.bottom * height,
    )  # fmt: skip
    near = point is not None and abs(point.y - box.center.y) * height < 0.3 * width
    if near and point is not None:
        left, right = min(left, point.x * width), max(right, point.x * width)
        top, bottom = min(top, point.y * height), max(bottom, point.y * height)
    wide = min(width, max((right - left) * 1.3, (bottom - top) * 1.95, 0.4 * width))
    high = min(height, wide / 1.5)
    x = min(max((left + right) / 2 - wide / 2, 0), width - wide)
    y = min(max((top + bottom) / 2 - high / 2, 0), height - high)
    part = whole.crop((int(x), int(y), int(x + wide), int(y + high)))
    scaled = part.resize((_CROP_PX, round(_CROP_PX * part.height / part.width)))
    inner = Box(
        *(_clip((edge * full - start) / extent) for edge, full, start, extent in (
            (box.left, width, x, wide), (box.top, height, y, high),
            (box.right, width, x, wide), (box.bottom, height, y, high),
        ))
    )  # fmt: skip
    scaled = marks.mark_box(scaled, inner, color=marks.BLUE)
    if point is not None and near:
        at = Point(_clip((point.x * width - x) / wide), _clip((point.y * height - y) / high))
        scaled = marks.mark_point(scaled, at, color=color)
    return scaled


def _episode_card(plain: GalleryCard, episode: Episode) -> GalleryCard:
    """The frames of an episode with what was touched; of long ones the first and last."""
    frames: list[GalleryPicture] = []
    half = _MAX_FRAMES // 2
    skipped = max(0, len(episode.steps) - _MAX_FRAMES)
    for number, step in enumerate(episode.steps):
        if skipped and half <= number < half + skipped:
            continue
        image = marks.thumbnail(step.observation.screenshot.image(), _FRAME_PX)
        target = step.decision.target
        caption_text = describe_actions(step.decision.actions)
        if target and isinstance(step.decision.alone, PointAction):
            caption_text = f"{step.decision.alone.type.replace('_', ' ')} “{target}”"
        gap = f"({skipped} steps left out) " if skipped and number == half + skipped else ""
        alt = f"Step {number + 1}: {caption_text}"
        marked = marks.mark_actions(image, step.decision.actions)
        frames.append(_picture(marked, alt, f"{gap}{number + 1}. {caption_text}"))
    if episode.final is not None:
        image = marks.thumbnail(episode.final.screenshot.image(), _FRAME_PX)
        frames.append(_picture(image, "The screen at the end", f"end: {episode.outcome}"))
    return replace(plain, frames=tuple(frames), note=plain.note)


def _picture(image: Image.Image, alt: str, words: str = "") -> GalleryPicture:
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "JPEG", quality=72, optimize=True)
    data = base64.b64encode(buffer.getvalue()).decode()
    return GalleryPicture(f"data:image/jpeg;base64,{data}", alt, image.width, image.height, words)


def _clip(value: float) -> float:
    return min(max(value, 0.0), 1.0)
