"""The messages between a server of devices and its clients, over a WebSocket.

The client sends one request at a time and receives one response to each. The first is
`LeaseRequest`; the lease lasts as long as the connection. A message is a JSON object in a text
frame; where pictures or trees come with it, a binary frame: the length of the JSON in four bytes
(big-endian), the JSON, then the pictures and trees as they are. Live frames are pushed, from the
`LiveRequest` that starts them to the one that stops them.
"""

import json
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tapwright.core.actions import Action, Key
from tapwright.core.observation import BrowserTab, Orientation
from tapwright.devices.errors import RemoteProtocolError
from tapwright.errors import DeviceError, TapwrightError, every_error, first_problem

__all__ = ["REQUEST_BYTES", "RESPONSE_BYTES", "SUBPROTOCOL", "DeviceRequest", "DeviceResponse"]

SUBPROTOCOL = "tapwright-device.4"
"""The name and version that both ends must agree on as the connection opens."""

SET_UP_S = 240.0
"""Extra time for a call of a task's set-up: an app is copied and installed."""

REQUEST_BYTES = 4 << 20
RESPONSE_BYTES = 64 << 20

_Name: TypeAlias = Annotated[str, Field(max_length=200)]
_Count: TypeAlias = Annotated[int, Field(ge=0)]
_Pixels: TypeAlias = Annotated[int, Field(ge=1, le=1 << 16)]
_Duration: TypeAlias = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]
_Moment: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LeaseRequest(_Message):
    """Lease the device in `place`, or any for ""; waits at most `wait_s` for it."""

    call: Literal["lease"] = "lease"
    place: _Name = ""
    who: _Name = ""
    wait_s: _Duration = 0.0


class ResetRequest(_Message):
    """`Device.reset`; a `language` of "" is the device's own."""

    call: Literal["reset"] = "reset"
    seed: int = 0
    language: str = ""
    state: dict[str, JsonValue] | None = None
    app: str = ""


class ObserveRequest(_Message):
    """`Device.observe`; leaves out what hashes (sha256) to `picture` and `tree`."""

    call: Literal["observe"] = "observe"
    picture: str = ""
    tree: str = ""


class PerformRequest(_Message):
    """`Device.perform`."""

    call: Literal["perform"] = "perform"
    action: Action


class LogRequest(_Message):
    """`Device.log`."""

    call: Literal["log"] = "log"
    since: _Count = 0


class StateRequest(_Message):
    """`Device.state`."""

    call: Literal["state"] = "state"
    path: str


class LetGoRequest(_Message):
    """`let_go` of keys and buttons; the response lists what was down."""

    call: Literal["let_go"] = "let_go"


class TakesTextRequest(_Message):
    """`FocusDevice.takes_text`, true where the device does not know."""

    call: Literal["takes_text"] = "takes_text"


class AppsRequest(_Message):
    """`Device.apps`."""

    call: Literal["apps"] = "apps"


class SetUpRequest(_Message):
    """`PreparedDevice.set_up`."""

    call: Literal["set_up"] = "set_up"
    name: str
    arguments: dict[str, JsonValue]


class LiveRequest(_Message):
    """Start or stop sending live frames."""

    call: Literal["live"] = "live"
    on: bool


DeviceRequest: TypeAlias = Annotated[
    LeaseRequest
    | ResetRequest
    | ObserveRequest
    | PerformRequest
    | LogRequest
    | StateRequest
    | TakesTextRequest
    | LetGoRequest
    | AppsRequest
    | SetUpRequest
    | LiveRequest,
    Field(discriminator="call"),
]


class LeaseResponse(_Message):
    """The device is leased; `live` is whether it has a live screen, `keys` which keys it has."""

    says: Literal["leased"] = "leased"
    name: str
    live: bool
    keys: tuple[Key, ...]


class ValueResponse(_Message):
    """The return value of a call."""

    says: Literal["value"] = "value"
    value: Any = None


class ObservationResponse(_Message):
    """An observation; the bytes of picture and tree follow, unless their count is None."""

    says: Literal["seen"] = "seen"
    width: _Pixels
    height: _Pixels
    app: str
    orientation: Orientation
    time_s: _Moment
    stale: bool
    url: str
    tabs: tuple[BrowserTab, ...]
    picture: str
    picture_bytes: _Count | None
    tree: str | None
    tree_bytes: _Count | None


class FrameResponse(_Message):
    """A `LiveFrame` of `age_s` seconds ago; its picture follows."""

    says: Literal["frame"] = "frame"
    kind: Literal["jpeg", "h264"]
    width: _Pixels
    height: _Pixels
    age_s: _Moment
    key: bool


class ErrorResponse(_Message):
    """A call raised one of our errors."""

    says: Literal["failure"] = "failure"
    code: str
    message: str
    hint: str

    @classmethod
    def of(cls, error: TapwrightError) -> "ErrorResponse":
        """The response for an error."""
        return cls(code=error.code, message=str(error), hint=error.hint)

    def error(self) -> TapwrightError:
        """The error, by its code; one of a later version is a `DeviceError`."""
        found = every_error().get(self.code, every_error()[DeviceError.code])
        return found(self.message, hint=self.hint)


DeviceResponse: TypeAlias = Annotated[
    LeaseResponse | ValueResponse | ObservationResponse | FrameResponse | ErrorResponse,
    Field(discriminator="says"),
]
T = TypeVar("T")

_REQUESTS: TypeAdapter[DeviceRequest] = TypeAdapter(DeviceRequest)
_RESPONSES: TypeAdapter[DeviceResponse] = TypeAdapter(DeviceResponse)
_LENGTH_BYTES = 4


def encode_message(message: DeviceRequest | DeviceResponse, *parts: bytes) -> str | bytes:
    """Encode a message: as text, or as bytes if pictures or trees follow it."""
    text = json.dumps(message.model_dump(mode="json"))
    if not parts:
        return text
    head = text.encode()
    return b"".join((len(head).to_bytes(_LENGTH_BYTES, "big"), head, *parts))


def decode_request(message: str | bytes) -> DeviceRequest:
    """Decode a client's message.

    Raises:
        RemoteProtocolError: it is not a request.
    """
    request, parts = _decode(message, _REQUESTS)
    if parts:
        raise RemoteProtocolError(f"{len(parts)} bytes follow a request; expected none")
    return request


def decode_response(message: str | bytes) -> tuple[DeviceResponse, bytes]:
    """Decode a server's message, and return the pictures and trees that follow it too.

    Raises:
        RemoteProtocolError: it is not a response.
    """
    return _decode(message, _RESPONSES)


def _decode(message: str | bytes, adapter: TypeAdapter[T]) -> tuple[T, bytes]:
    parts = b""
    if isinstance(message, bytes):
        length = int.from_bytes(message[:_LENGTH_BYTES], "big")
        head, parts = message[_LENGTH_BYTES:][:length], message[_LENGTH_BYTES + length :]
        if len(head) != length or len(message) < _LENGTH_BYTES:
            raise RemoteProtocolError(
                f"a frame of {len(message)} bytes gives its head a length of {length}"
            )
    else:
        head = message.encode("utf-8", "surrogatepass")
    try:
        return adapter.validate_python(json.loads(head)), parts
    except ValidationError as error:
        raise RemoteProtocolError(f"a message of another kind: {first_problem(error)}") from error
    except (ValueError, RecursionError) as error:
        raise RemoteProtocolError(f"a message that is not JSON: {head[:40]!r}") from error
