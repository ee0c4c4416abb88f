"""What a server of devices and its clients say to each other over a WebSocket.

The client says one request at a time and gets one answer to each. The first is `Lease`; the lease
lasts as long as the connection. A message is a JSON object in a text frame; where pictures or
trees come with it, a binary frame: the length of the JSON in four bytes (big-endian), the JSON,
then the pictures and trees as they are. Live frames come unasked, between `Live` and `Live`.
"""

import json
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tapwright.actions import Action, Drag, LongPress, Swipe, Wait
from tapwright.devices.errors import RemoteProtocolError
from tapwright.errors import DeviceError, TapwrightError, every_error, first_problem
from tapwright.observation import Orientation

__all__ = [
    "ANSWER_BYTES",
    "REQUEST_BYTES",
    "SUBPROTOCOL",
    "Answer",
    "Request",
]

SUBPROTOCOL = "tapwright-device.1"
"""The name and version that both ends must agree on as the connection opens."""

SET_UP_S = 240.0
"""What a call of a task's set-up may take longer than others: an app is copied and installed."""

REQUEST_BYTES = 4 << 20
ANSWER_BYTES = 64 << 20

_Name: TypeAlias = Annotated[str, Field(max_length=200)]
_Count: TypeAlias = Annotated[int, Field(ge=0)]
_Pixels: TypeAlias = Annotated[int, Field(ge=1, le=1 << 16)]
_Duration: TypeAlias = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]
_Moment: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Word(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Lease(_Word):
    """Lend me the device in `place`, or any for ""; I wait at most `wait_s` for it."""

    call: Literal["lease"] = "lease"
    place: _Name = ""
    who: _Name = ""
    wait_s: _Duration = 0.0


class Reset(_Word):
    """`Device.reset`; a `language` of "" is the one that the device takes by itself."""

    call: Literal["reset"] = "reset"
    seed: int = 0
    language: str = ""
    state: dict[str, JsonValue] | None = None
    app: str = ""


class Observe(_Word):
    """`Device.observe`; what hashes to `picture` and `tree` (sha256) is here and is not sent."""

    call: Literal["observe"] = "observe"
    picture: str = ""
    tree: str = ""


class Perform(_Word):
    """`Device.perform`."""

    call: Literal["perform"] = "perform"
    action: Action


class Log(_Word):
    """`Device.log`."""

    call: Literal["log"] = "log"
    since: _Count = 0


class State(_Word):
    """`Device.state`."""

    call: Literal["state"] = "state"
    path: str


class Apps(_Word):
    """`Device.apps`."""

    call: Literal["apps"] = "apps"


class SetUp(_Word):
    """`PreparedDevice.set_up`."""

    call: Literal["set_up"] = "set_up"
    name: str
    arguments: dict[str, JsonValue]


class Live(_Word):
    """Begin, or end, to send live frames."""

    call: Literal["live"] = "live"
    on: bool


Request: TypeAlias = Annotated[
    Lease | Reset | Observe | Perform | Log | State | Apps | SetUp | Live,
    Field(discriminator="call"),
]


class Leased(_Word):
    """The device is yours; `live` says whether it has a live screen."""

    says: Literal["leased"] = "leased"
    name: str
    live: bool


class Value(_Word):
    """What a call returned."""

    says: Literal["value"] = "value"
    value: Any = None


class Seen(_Word):
    """An observation; then come the picture's bytes and the tree's, None for those not sent."""

    says: Literal["seen"] = "seen"
    width: _Pixels
    height: _Pixels
    app: str
    orientation: Orientation
    time_s: _Moment
    stale: bool
    picture: str
    picture_bytes: _Count | None
    tree: str | None
    tree_bytes: _Count | None


class Frame(_Word):
    """A `LiveFrame` of `age_s` seconds ago; then comes its picture."""

    says: Literal["frame"] = "frame"
    kind: Literal["jpeg", "h264"]
    width: _Pixels
    height: _Pixels
    age_s: _Moment
    key: bool


class Failure(_Word):
    """A call raised one of our errors."""

    says: Literal["failure"] = "failure"
    code: str
    message: str
    hint: str

    @classmethod
    def of(cls, error: TapwrightError) -> "Failure":
        """The error in words."""
        return cls(code=error.code, message=str(error), hint=error.hint)

    def error(self) -> TapwrightError:
        """The same error again, by its code; one of a later version is a `DeviceError`."""
        kind = every_error().get(self.code, DeviceError)
        error = kind.__new__(kind)  # some kinds make their message out of other things
        TapwrightError.__init__(error, self.message, hint=self.hint)
        return error


Answer: TypeAlias = Annotated[Leased | Value | Seen | Frame | Failure, Field(discriminator="says")]
T = TypeVar("T")

_REQUESTS: TypeAdapter[Request] = TypeAdapter(Request)
_ANSWERS: TypeAdapter[Answer] = TypeAdapter(Answer)
_LENGTH_BYTES = 4


def duration_s(action: Action) -> float:
    """How long an action takes by itself, which comes to any limit on its call."""
    match action:
        case LongPress() | Swipe() | Drag() | Wait():
            return action.duration_s
        case _:
            return 0.0


def encode(said: Request | Answer, *parts: bytes) -> str | bytes:
    """A message: text, or bytes if there are pictures or trees in it."""
    text = json.dumps(said.model_dump(mode="json"))
    if not parts:
        return text
    head = text.encode()
    return b"".join((len(head).to_bytes(_LENGTH_BYTES, "big"), head, *parts))


def read_request(message: str | bytes) -> Request:
    """What a client says.

    Raises:
        RemoteProtocolError: it is no request.
    """
    request, parts = _read(message, _REQUESTS)
    if parts:
        raise RemoteProtocolError(f"{len(parts)} bytes follow a request; expected none")
    return request


def read_answer(message: str | bytes) -> tuple[Answer, bytes]:
    """What a server says, and the pictures and trees that follow it.

    Raises:
        RemoteProtocolError: it is no answer.
    """
    return _read(message, _ANSWERS)


def _read(message: str | bytes, adapter: TypeAdapter[T]) -> tuple[T, bytes]:
    parts = b""
    if isinstance(message, bytes):
        length = int.from_bytes(message[:_LENGTH_BYTES], "big")
        head, parts = message[_LENGTH_BYTES:][:length], message[_LENGTH_BYTES + length :]
        if len(head) != length or len(message) < _LENGTH_BYTES:
            raise RemoteProtocolError(
                f"a frame of {len(message)} bytes says that its head has {length}"
            )
    else:
        head = message.encode("utf-8", "surrogatepass")
    try:
        return adapter.validate_python(json.loads(head)), parts
    except ValidationError as error:
        raise RemoteProtocolError(f"a message of another kind: {first_problem(error)}") from error
    except (ValueError, RecursionError) as error:
        raise RemoteProtocolError(f"a message that is no JSON: {head[:40]!r}") from error
