"""Settings of requests: fields that are added, fields that are unset, fields that a server refuses.

Names and values are the server's own, so any field of its API can be given. None unsets a field
that a client would send by itself. A field that the server refuses as such ("Unsupported parameter:
'max_tokens'") is left out from then on, or gets the name that the server gives for it ("Use
'max_completion_tokens' instead"), with one warning; a value that it refuses is not.
"""

import re
import warnings
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tapwright.errors import UsageError
from tapwright.models.errors import ModelSettingWarning

__all__ = ["RequestSettings", "check_settings"]

_REFUSED = re.compile(
    r"unsupported|not supported|does not support|unrecognized|unknown|unexpected|deprecated"
    r"|extra inputs|extra fields|not permitted|not allowed|cannot find field|invalid parameter",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\b[Uu]se\s+(?:the\s+)?[`'\"\\]*([a-z][a-z_]{2,40})\b[`'\"\\]*\s*(?:parameter\s+)?instead"
)
"""How a refusal names what is to be sent in place of a field."""
_STATUS = frozenset({400, 422})
_SECRET = re.compile(r"api.?key|secret|password|authorization|bearer|credential|(?<!max_)token\Z")
_OWN = frozenset({"model", "messages", "input", "contents", "base_url", "api_base", "stream"})


def check_settings(settings: Mapping[str, JsonValue]) -> None:
    """Check that these can be settings, which a run log keeps.

    Raises:
        UsageError: one names a secret, or a field that the client itself fills.
    """
    for name in settings:
        if _SECRET.search(name.lower()):
            raise UsageError(
                f"the setting {name!r} looks like a secret, and settings stand in run logs",
                hint="give the key in the environment, such as OPENAI_API_KEY",
            )
        if name in ("timeout", "timeout_s"):
            raise UsageError(
                f"the setting {name!r} is no field of a request",
                hint="--timeout SECONDS bounds one",
            )
        if name in _OWN:
            raise UsageError(
                f"the setting {name!r} is filled by the client itself",
                hint="the model is named by -m, the address by --base-url",
            )


class RequestSettings:
    """The settings of one client: its defaults, with those of the user laid over them."""

    def __init__(
        self, defaults: Mapping[str, JsonValue], given: Mapping[str, JsonValue] | None
    ) -> None:
        """Lay the given ones over the defaults; None unsets one, and "none" one of the defaults.

        Raises:
            UsageError: one of them cannot be a setting.
        """
        check_settings(given or {})
        whole = {**defaults, **(given or {})}
        self.sent = {
            name: value
            for name, value in whole.items()
            # TOML has no null.
            if value is not None and not (name in defaults and value == "none")
        }
        self._unset = frozenset(whole.keys() - self.sent.keys())
        self._refused: dict[str, str] = {}

    def merged(self, more: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The settings of one request: `more` lies over the others, but for what is unset.

        What a server refuses has the name that it gave for it, or is left out.
        """
        wanted = self._wanted(more)
        kept = {name: value for name, value in wanted.items() if name not in self._refused}
        for name, instead in self._refused.items():
            if name in wanted and instead and instead not in self._refused:
                kept.setdefault(instead, wanted[name])
        return kept

    def changed(self, more: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """What `merged` has in place of what was wanted; null for what is left out."""
        wanted, kept = self._wanted(more), self.merged(more)
        return {name: kept.get(name) for name in wanted.keys() ^ kept.keys()}

    def _wanted(self, more: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        return {
            name: value
            for name, value in {**self.sent, **more}.items()
            if name not in self._unset and value is not None
        }

    def negotiate(self, who: str, names: Sequence[str], status: int, payload: bytes) -> bool:
        """Whether a refusal is about one of the fields `names`, which is changed from now on.

        It gets the name that the refusal gives for it, or is left out.
        """
        if status not in _STATUS:
            return False
        text = payload.decode("utf-8", "replace")
        if _REFUSED.search(text) is None:
            return False
        places = {
            name: found.start()
            for name in names
            if (found := re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)) is not None
        }
        if not places:
            return False
        # The first one named: OpenAI's refusal of max_tokens goes on to name its replacement.
        refused = min(places, key=places.__getitem__)
        if refused not in self._refused:
            instead = _INSTEAD.search(text, places[refused])
            name = instead[1] if instead and instead[1] != refused else ""
            self._refused[refused] = name if name not in (*names, *_OWN) else ""
            what = f"it is sent as {name!r}" if self._refused[refused] else "it is left out"
            warnings.warn(
                f"{who}: the server refuses the setting {refused!r}; {what} from now on",
                ModelSettingWarning,
                stacklevel=2,
            )
        return True
