"""Every error that tapwright raises on purpose, under one root.

A message says what was found, where, and what was expected; `hint` says the way out. `code` is
stable and is what `tapwright explain CODE` takes; `exit_code` is what the command line ends with;
`fatal` errors would meet every further item of a job too, so they end it.
A model's bad answer is not among them: it is data, kept raw and scored.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = [
    "AccountError",
    "AdbMissingError",
    "AdbServerError",
    "AdbVersionError",
    "AgentFailedError",
    "AgentPartsError",
    "AnnotationError",
    "AnswersError",
    "BadAnswerError",
    "BadBenchmarkError",
    "BadChatError",
    "BadConfError",
    "BadDefinitionError",
    "BadExpansionError",
    "BadExpressionError",
    "BadGymActionError",
    "BadIdError",
    "BadImageError",
    "BadMessageError",
    "BadMilestonesError",
    "BadModifierError",
    "BadPatternError",
    "BadSelectorError",
    "BadTableError",
    "BadTaskFileError",
    "BadTemplateError",
    "BadTrainingSetError",
    "BadTreeError",
    "BrokenPackError",
    "BrokenPickleError",
    "BrowserMissingError",
    "BudgetError",
    "BundleError",
    "ClusterError",
    "ConformanceError",
    "CorruptEpisodeError",
    "CostLimitError",
    "DatabaseError",
    "DeviceAnswerError",
    "DeviceAwayError",
    "DeviceBusyError",
    "DeviceError",
    "DeviceLockedError",
    "DeviceLostError",
    "DeviceOfflineError",
    "DeviceUnauthorizedError",
    "DiskError",
    "EditConflictError",
    "EnvironmentOrderError",
    "EpisodeExistsError",
    "EpisodeMissingError",
    "EventGraphError",
    "EventValueError",
    "ExposedServerError",
    "FileInTheWayError",
    "FontMissingError",
    "ForeignDataError",
    "ForeignRequestError",
    "HookError",
    "JournalError",
    "KeyboardMissingError",
    "LeaseError",
    "LedgerError",
    "LivePictureError",
    "LocalModelError",
    "MissingExtraError",
    "MissingKeyError",
    "ModelError",
    "ModelRefusedError",
    "ModelUnavailableError",
    "NotAllowedError",
    "NotRecordedError",
    "NotSignedInError",
    "NothingFoundError",
    "NothingHereError",
    "NothingToUndoError",
    "OffScreenError",
    "PlaceError",
    "PlanError",
    "PortTakenError",
    "PrefixError",
    "PricesError",
    "PromptTemplateError",
    "ReactError",
    "RecordingError",
    "RemoteProtocolError",
    "RemoteRefusedError",
    "RequestError",
    "ReviewError",
    "RunLogError",
    "SchemaVersionError",
    "SessionElsewhereError",
    "SessionMissingError",
    "SetupFailedError",
    "SftFileError",
    "SickDeviceError",
    "SlotValueError",
    "SolutionMissingError",
    "StepsDoNotJoinError",
    "StoreError",
    "TapwrightError",
    "TaskError",
    "TooLargeError",
    "TooManyAttemptsError",
    "UngroundedAnswerError",
    "UnknownAppError",
    "UnknownNameError",
    "UnsafeArchiveError",
    "UnsafePickleError",
    "UnsayableActionError",
    "UnseenEventError",
    "UnsupportedActionError",
    "UpstreamFailureError",
    "UsageError",
    "VersionMissingError",
    "WhichDeviceError",
    "WorkerLostError",
    "every_error",
]


class TapwrightError(Exception):
    """Something that tapwright was asked for could not be done."""

    code: ClassVar[str] = "TW000"
    exit_code: ClassVar[int] = 1
    fatal: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def __reduce__(self) -> "tuple[object, ...]":
        # Their constructors differ; what they made does not.
        return _again, (type(self), self.args, self.__dict__)


def _again(
    kind: type[TapwrightError], said: tuple[object, ...], told: dict[str, object]
) -> TapwrightError:
    """An error as it was in another process."""
    made = kind.__new__(kind, *said)
    made.__dict__.update(told)
    return made


class UsageError(TapwrightError):
    """A command or function was called with values that do not go together."""

    code = "TW100"
    exit_code = 2
    fatal = True


class UnknownNameError(UsageError):
    """A name was given that no member of its family has."""

    code = "TW101"

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
        super().__init__(f"no {kind} is called {name!r}", hint=hint)


class MissingExtraError(UsageError):
    """An optional dependency is needed and not installed."""

    code = "TW102"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional dependency that is not installed",
            hint=f"pip install 'tapwright[{extra}]'",
        )


class NothingFoundError(TapwrightError):
    """A selection matched nothing, so there is nothing to do."""

    code = "TW103"
    exit_code = 5


class RequestError(TapwrightError):
    """A request to the web app does not hold what it should; says which part of it."""

    code = "TW150"


class ForeignRequestError(RequestError):
    """A request came under another host's name, from another site's page, or without our header."""

    code = "TW151"


class TooLargeError(RequestError):
    """A request is larger than the web app takes."""

    code = "TW152"


class NotSignedInError(RequestError):
    """The web app does not know who asks: no token was given, or it is not one of ours."""

    code = "TW153"


class NotAllowedError(RequestError):
    """Who asks may not do this; the message says which role may."""

    code = "TW154"


class TooManyAttemptsError(RequestError):
    """Too many wrong tokens came from one place; says when to try again."""

    code = "TW155"


class NothingHereError(RequestError):
    """The web app has no such address, or nothing of that id."""

    code = "TW156"


class ExposedServerError(UsageError):
    """A server was to be reached from other machines, and would have let anybody in."""

    code = "TW157"


class PortTakenError(UsageError):
    """Another program listens at the address that was asked for."""

    code = "TW158"


class DatabaseError(TapwrightError):
    """The team's database cannot be reached or used, or has tables of another version."""

    code = "TW160"
    fatal = True


class AccountError(TapwrightError):
    """An account of the team is not there, is there already, or has no name that can be one."""

    code = "TW161"


class LeaseError(TapwrightError):
    """An item of the queue is not, or no longer, what somebody may hold or complete."""

    code = "TW162"


class OffScreenError(TapwrightError, ValueError):
    """A pixel or a fraction lies outside the screen that it was meant for."""

    code = "TW110"


class BadImageError(TapwrightError):
    """An image is truncated, of an unknown kind, or too large to be a screenshot."""

    code = "TW111"


class BadTreeError(TapwrightError):
    """A view hierarchy is not the XML that uiautomator writes, or tries to expand entities."""

    code = "TW112"


class FontMissingError(TapwrightError):
    """No installed font has the characters that were to be drawn."""

    code = "TW113"


class StoreError(TapwrightError):
    """An episode could not be written or read."""

    code = "TW200"


class BadIdError(StoreError, ValueError):
    """An id is empty, too long, or holds characters that no id may hold."""

    code = "TW201"


class EpisodeExistsError(StoreError):
    """An episode of this id is already in the store."""

    code = "TW202"


class EpisodeMissingError(StoreError):
    """The store has no episode of this id."""

    code = "TW203"
    exit_code = 5


class CorruptEpisodeError(StoreError):
    """A file of an episode does not say what it should; the message names file and line."""

    code = "TW204"


class SchemaVersionError(StoreError):
    """A file was written by another version of tapwright, whose schema this one cannot read."""

    code = "TW205"


class DiskError(StoreError):
    """The disk is full or refuses to be written; what was written before is intact."""

    code = "TW206"
    fatal = True


class LedgerError(StoreError):
    """A job's ledger belongs to other work, or holds a line that is not a record."""

    code = "TW207"


class AnnotationError(StoreError):
    """An episode's annotations are missing, broken, or belong to other steps."""

    code = "TW220"


class PromptTemplateError(UsageError):
    """The template of an annotator's prompt is not one, or asks for what there is not."""

    code = "TW183"


class BudgetError(TapwrightError):
    """The next request would cost more than the budget has left; what was answered is kept."""

    code = "TW184"
    fatal = True


class AnswersError(StoreError):
    """The record of what a model answered is broken, or cannot be read; names file and line."""

    code = "TW185"


class ReactError(TapwrightError):
    """A react.json does not fit the recording; the message has the codes of the verdict."""

    code = "TW186"


class PricesError(UsageError):
    """A table of prices is not one, or does not have the model."""

    code = "TW187"


class RecordingError(TapwrightError):
    """A demonstration does not take this now: it is paused, has ended, or never had the step."""

    code = "TW190"


class DeviceAwayError(RecordingError):
    """A demonstration has no device at the moment; nothing was done, and what is recorded stays."""

    code = "TW191"


class JournalError(StoreError):
    """The journal of a demonstration is broken, or is not one; the message names file and line."""

    code = "TW192"


class ClusterError(TapwrightError):
    """A cluster is not there, or its workers cannot do what they are there for."""

    code = "TW230"
    fatal = True


class WorkerLostError(TapwrightError):
    """The workers that were given an item died or were silent, one after the other."""

    code = "TW231"


class PlaceError(TapwrightError):
    """What is at a URL could not be fetched, or could not be put there."""

    code = "TW232"
    fatal = True


class SessionMissingError(NothingHereError):
    """There is no demonstration of this id, or it is another person's."""

    code = "TW350"


class SessionElsewhereError(RequestError):
    """A demonstration was opened in another tab, which has it now."""

    code = "TW351"


class BadMessageError(RequestError):
    """A message of a browser is not one that a recording session knows; nothing was done."""

    code = "TW352"


class DeviceError(TapwrightError):
    """A device cannot do what was asked of it."""

    code = "TW300"
    exit_code = 3


class BrowserMissingError(DeviceError):
    """No Chromium was found to run the built-in phone in."""

    code = "TW301"
    fatal = True


class DeviceLostError(DeviceError):
    """The device went away, crashed, or stopped answering within its time limit."""

    code = "TW302"


class UnsupportedActionError(DeviceError):
    """The device has no way to perform an action of this type."""

    code = "TW303"


class UnknownAppError(DeviceError):
    """The device has no app of this name."""

    code = "TW304"


class AdbMissingError(DeviceError):
    """No adb server runs here, and there is no adb program that could start one."""

    code = "TW310"
    fatal = True


class AdbServerError(DeviceError):
    """The adb server cannot be reached or started, or something else listens in its place."""

    code = "TW311"
    fatal = True


class AdbVersionError(AdbServerError):
    """The adb server is too old to be spoken to."""

    code = "TW312"


class DeviceUnauthorizedError(DeviceError):
    """A phone has not allowed this computer to drive it, or the computer may not open it."""

    code = "TW313"


class DeviceOfflineError(DeviceError):
    """A phone is listed by adb and does not answer it."""

    code = "TW314"


class WhichDeviceError(DeviceError):
    """No phone of this serial is connected, or more than one could be meant."""

    code = "TW315"


class KeyboardMissingError(DeviceError):
    """A text needs an input method that takes any language, and the phone does not have it."""

    code = "TW316"


class DeviceAnswerError(DeviceError):
    """A phone's answer is not what Android writes: garbage, cut off, or without an end."""

    code = "TW317"


class DeviceLockedError(DeviceError):
    """A phone is locked with a PIN, pattern or password, or stays asleep."""

    code = "TW318"


class LivePictureError(DeviceError):
    """A phone's live picture cannot be had: a wrong scrcpy server, or a stream that is none."""

    code = "TW319"


class RemoteRefusedError(DeviceError):
    """A server of devices does not let this client in: another token, version or address."""

    code = "TW330"
    fatal = True


class RemoteProtocolError(DeviceError):
    """What came over the wire is not what servers of devices and their clients say."""

    code = "TW331"


class DeviceBusyError(DeviceError):
    """Somebody else has leased the device; the message says who and since when."""

    code = "TW332"


class SickDeviceError(DeviceError):
    """No device of a pool that would do is well, nor was soon again; says what is wrong."""

    code = "TW333"


class BadGymActionError(UsageError):
    """What a Gymnasium environment was given is no member of its action space."""

    code = "TW340"


class BundleError(TapwrightError):
    """A static copy of the web app's pages cannot be written."""

    code = "TW355"


class ModelError(TapwrightError):
    """A model could not be asked, or its server did not answer."""

    code = "TW400"
    exit_code = 4


class ModelRefusedError(ModelError):
    """The model's server refused the request, and asking again would not help."""

    code = "TW401"


class ModelUnavailableError(ModelError):
    """The model's server failed, was too busy, or timed out, and retries did not help."""

    code = "TW402"


class MissingKeyError(ModelError):
    """A hosted model needs an API key and the environment has none."""

    code = "TW403"
    fatal = True


class ModelDownError(ModelError):
    """A model's server fails one request after the other, so that no further ones are sent."""

    code = "TW404"
    fatal = True


class BadAnswerError(TapwrightError, ValueError):
    """A model's answer is not in the grammar of its convention.

    Raised by `Convention.parse`; who asked the model catches it and keeps the answer as data.
    """

    code = "TW410"


class UngroundedAnswerError(BadAnswerError):
    """A model's answer names what is tapped and not where, as the half of a pair of models does.

    Who has the other half asks it for the place of `target`.
    """

    code = "TW421"

    def __init__(self, message: str, *, reasoning: str, target: str) -> None:
        super().__init__(message)
        self.reasoning = reasoning
        self.target = target


class UnsayableActionError(TapwrightError):
    """A convention's grammar has no words for an action."""

    code = "TW420"


class AgentPartsError(UsageError):
    """The parts of an agent do not fit: one that gives no places has nobody who finds them."""

    code = "TW450"


class BadChatError(TapwrightError, ValueError):
    """A chat holds what its template cannot write, or would write as something else."""

    code = "TW430"


class PrefixError(TapwrightError):
    """A chat template writes a conversation so that a prompt is not the start of its whole text."""

    code = "TW431"


class LocalModelError(ModelError):
    """A model on this machine cannot be loaded, or failed while it was writing."""

    code = "TW440"
    fatal = True


class TaskError(TapwrightError):
    """A task is not well formed, or its set-up cannot be done."""

    code = "TW500"


class SolutionMissingError(TaskError):
    """A scripted solution was asked for and the task has none, or it does not fit the screen."""

    code = "TW501"


class BadDefinitionError(TaskError):
    """A task definition is not what the format says; the message names file, line and column."""

    code = "TW510"


class BadSelectorError(BadDefinitionError):
    """A view-hierarchy selector is not in the dialect, or too long or deep to be looked for."""

    code = "TW511"


class BadPatternError(BadDefinitionError):
    """A regular expression of a definition is malformed, or takes too long on a text."""

    code = "TW512"


class BadExpressionError(BadDefinitionError):
    """A transformation of a definition says more than a value over `x`."""

    code = "TW513"


class EventGraphError(BadDefinitionError):
    """The events of a definition name one that is not there, one twice, or each other in a ring."""

    code = "TW514"


class EventValueError(TaskError):
    """What an event gave cannot be a reward, an instruction or an extra, or its making failed."""

    code = "TW515"


class NotRecordedError(TaskError):
    """A recorded episode does not hold what its task judges by."""

    code = "TW516"


class UnseenEventError(TaskError):
    """An event source needs a reader, a file or a screen that is not there."""

    code = "TW517"


class SetupFailedError(TaskError):
    """A step of a task's set-up was tried as often as it may be and did not work."""

    code = "TW518"


class EnvironmentOrderError(TapwrightError):
    """An environment was stepped before `reset`, or after its episode had ended."""

    code = "TW502"


class BadTemplateError(TaskError):
    """A task template is missing, is not one, or has a slot that means nothing."""

    code = "TW530"


class BadConfError(TaskError):
    """A conf file is missing, or a line of it is not `identifier: value`."""

    code = "TW531"


class SlotValueError(TaskError):
    """A slot of a template has no value, or one that nobody filled in."""

    code = "TW532"


class BadTaskFileError(TaskError):
    """A task file is missing, names no steps, or names one that it may not."""

    code = "TW533"


class StepsDoNotJoinError(TaskError):
    """Steps cannot be made into one task; the message names the step and what it lacks."""

    code = "TW534"


class BadTableError(TaskError):
    """A table of parameters cannot be read; the message names file and row."""

    code = "TW535"


class BadExpansionError(TaskError):
    """A task came out of its templates broken: it could not run."""

    code = "TW536"


class FileInTheWayError(TaskError):
    """A file that people may have edited is where a new one was to go."""

    code = "TW537"


class BadMilestonesError(TaskError):
    """A graph of milestones names what is not there, goes in a ring, or asks for no known check."""

    code = "TW540"


class UpstreamFailureError(TaskError):
    """Mobile-Env's own tool fails on these files, and its behaviour was asked for.

    The message ends with the line that its traceback would end with; `kind` is its exception.
    """

    code = "TW538"

    def __init__(self, kind: str, what: str, place: str) -> None:
        super().__init__(f"{place}: Mobile-Env's own tool fails here:\n{kind}: {what}")
        self.kind = kind


class BadBenchmarkError(TapwrightError):
    """A benchmark's data breaks its schema; the message names file and row."""

    code = "TW600"


class RunLogError(TapwrightError):
    """A run log is not one, or was written for another benchmark or model."""

    code = "TW601"


class HookError(TapwrightError):
    """A function of one's own for a stage of the pipeline is missing, or fails."""

    code = "TW610"


class PlanError(UsageError):
    """A plan or config of an evaluation is not one; the message names file and key."""

    code = "TW611"


class CostLimitError(TapwrightError):
    """A run has cost what it may; what was asked is kept, and it can be resumed."""

    code = "TW612"
    fatal = True


class AgentFailedError(TapwrightError):
    """An agent of one's own raised an exception while it was to be made, or to act."""

    code = "TW613"


class BadTrainingSetError(TapwrightError):
    """A training set breaks a rule of its trainer; the message names file and sample."""

    code = "TW620"


class ReviewError(StoreError):
    """The review of an episode's annotations is broken, or belongs to other steps."""

    code = "TW640"


class SftFileError(TapwrightError):
    """A file of weights or paraphrases, given to an export, is not one."""

    code = "TW641"


class ForeignDataError(TapwrightError):
    """Another tool's data is not what its format says, or not safe to read."""

    code = "TW800"


class UnsafePickleError(ForeignDataError):
    """A pickle names or makes what plain data does not need; it could run code, and was not run."""

    code = "TW801"


class BrokenPickleError(ForeignDataError):
    """A pickle is empty, truncated, or not put together as pickles are; says at which byte."""

    code = "TW802"


class UnsafeArchiveError(ForeignDataError):
    """An archive holds a name that leads out of it, a link, or more than the disk has room for."""

    code = "TW803"


class BrokenPackError(ForeignDataError):
    """A packed data set is incomplete, or its pictures are not what it says they are."""

    code = "TW830"


class BadModifierError(UsageError):
    """A modifier is not in the edit grammar, or asks for what an episode does not have."""

    code = "TW820"


class EditConflictError(StoreError):
    """Another edit came first, or is being made; nothing was changed and nothing was lost."""

    code = "TW821"


class NothingToUndoError(StoreError):
    """An episode has no edit to undo, or no undone one to redo."""

    code = "TW822"
    exit_code = 5


class VersionMissingError(StoreError):
    """An episode has no version of this number."""

    code = "TW823"
    exit_code = 5


class ConformanceError(TapwrightError, AssertionError):
    """A device, environment, convention, model or agent breaks a law of its family."""

    code = "TW700"


def every_error() -> dict[str, type[TapwrightError]]:
    """All error classes by their code, for `tapwright explain` and the docs."""
    found: dict[str, type[TapwrightError]] = {}
    stack: list[type[TapwrightError]] = [TapwrightError]
    while stack:
        kind = stack.pop()
        found[kind.code] = kind
        stack.extend(kind.__subclasses__())
    return dict(sorted(found.items()))


def first_problem(error: "ValidationError") -> str:
    """The first thing that pydantic found wrong, as "place: what", for our own messages."""
    detail = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in detail["loc"])
    return f"{place}: {detail['msg']}" if place else detail["msg"]
