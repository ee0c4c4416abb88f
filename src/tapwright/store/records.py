"""The lines and the header of an episode on disk: the models that their JSON is checked against.

Pictures, trees and large states are not part of a line, which names their files by their hash.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from tapwright.core.actions import Action, RawEvent
from tapwright.core.episode import MAX_ACTIONS, EpisodeOutcome, OutcomeEvidence
from tapwright.core.observation import Observation, Orientation

SCHEMA = 6
"""What is written: 2 keeps the large values of a state in files, which 1 had in every line; 3 has
the instructions of steps, 4 the tabs of a browser and the actions on them, 5 keys and buttons that
are held, paths, questions to the user with their answers, and decisions of several actions, 6 who
acted in an agent's place, and what people wrote down while they decided."""

_SHA256 = r"^[0-9a-f]{64}$"

Files: TypeAlias = Mapping[str, Callable[[], bytes]]
"""The files that a line names: path below the episode's directory -> what makes the bytes."""

Finite = Annotated[float, Field(allow_inf_nan=False)]

Pixels = Annotated[int, Field(ge=1)]

StateFiles = Annotated[
    dict[str, Annotated[str, Field(pattern=_SHA256)]],
    Field(default_factory=dict, exclude_if=lambda files: not files),
]
"""The values of a state that are in files: path in the apps' state -> SHA-256 of the JSON."""


class EpisodeWarning(UserWarning):
    """Something in a store was skipped, and the rest could be read."""


class FrozenRecord(BaseModel):
    """A line or a file of an episode: immutable, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EpisodeHeader(FrozenRecord):
    """`episode.json`: an episode's fields that are known before its first step."""

    schema_: int = Field(default=SCHEMA, alias="schema")
    id: str
    task_id: str
    instruction: str
    agent: str
    device: str
    created: str
    version: int = 1
    extra: dict[str, str] = {}
    log: tuple[str, ...] = ()
    state: dict[str, JsonValue] = {}
    state_files: StateFiles


class TabRecord(FrozenRecord):
    """A tab of a browser."""

    title: str
    url: str
    active: bool = False


class ObservationRecord(FrozenRecord):
    """An observation; `frame` and `ui` name the files of picture and tree."""

    frame: Annotated[str, Field(pattern=r"^[0-9a-f]{64}\.(png|jpg|webp)$")]
    width: Pixels
    height: Pixels
    ui: Annotated[str, Field(pattern=_SHA256)] | None = None
    app: str = ""
    orientation: Orientation = "portrait"
    time_s: Finite = 0.0
    stale: bool = False
    url: Annotated[str, Field(default="", exclude_if=lambda url: not url)]
    tabs: Annotated[tuple[TabRecord, ...], Field(default=(), exclude_if=lambda tabs: not tabs)]
    message: Annotated[str, Field(default="", exclude_if=lambda message: not message)]


FindRecord: TypeAlias = Callable[[Observation], ObservationRecord | None]
"""Returns the record of an observation that is in the store already."""


class RemarkRecord(FrozenRecord):
    """A line of `Step.said`."""

    text: str
    time_s: Finite


class StepRecord(FrozenRecord):
    """One line of `steps.jsonl`: `more` are the actions that follow the first on the same look."""

    type: Literal["step"] = "step"
    observation: ObservationRecord
    action: Action
    more: Annotated[
        tuple[Action, ...],
        Field(default=(), max_length=MAX_ACTIONS - 1, exclude_if=lambda actions: not actions),
    ]
    reasoning: str = ""
    target: str = ""
    reward: Finite = 0.0
    instructions: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    state: dict[str, JsonValue] = {}
    state_files: StateFiles
    refused: str = ""
    raw: tuple[RawEvent, ...] = ()
    between: tuple[ObservationRecord, ...] = ()
    after: ObservationRecord | None = None
    note: str = ""
    step_instruction: Annotated[str, Field(default="", exclude_if=lambda text: not text)]
    by: Annotated[str, Field(default="", exclude_if=lambda name: not name)]
    said: Annotated[tuple[RemarkRecord, ...], Field(default=(), exclude_if=lambda said: not said)]

    @property
    def decided(self) -> tuple[Action, ...]:
        """`Decision.actions`."""
        return (self.action, *self.more)

    @property
    def screens(self) -> tuple[ObservationRecord, ...]:
        """`Step.screens` as records."""
        return (self.observation, *self.between, *([] if self.after is None else [self.after]))


class EndRecord(FrozenRecord):
    """The last line of an episode that ended."""

    type: Literal["end"] = "end"
    outcome: EpisodeOutcome
    evidence: Annotated[OutcomeEvidence, Field(default="", exclude_if=lambda text: not text)]
    final: ObservationRecord | None = None


class UndoRecord(FrozenRecord):
    """Undoes the last step."""

    type: Literal["undo"] = "undo"


class RedoRecord(FrozenRecord):
    """Restores the step that was undone last."""

    type: Literal["redo"] = "redo"


class NoteRecord(FrozenRecord):
    """Sets the note of a step, counted from 0 without those undone."""

    type: Literal["note"] = "note"
    step: Annotated[int, Field(ge=0)]
    note: str


RevisionRecord: TypeAlias = UndoRecord | RedoRecord | NoteRecord
"""A line that revises the lines before it, as only recordings have."""

HEADER_ADAPTER = TypeAdapter(EpisodeHeader)

LINE_ADAPTER: TypeAdapter[StepRecord | EndRecord] = TypeAdapter(
    Annotated[StepRecord | EndRecord, Field(discriminator="type")]
)
