"""Members of families by "module:attribute": agents, models, devices, benchmarks, conventions.

Only for names that the user gave now, on the command line or in a config file, and on a worker for
those that its driver sent: a name from a run log or an episode never comes here (SECURITY.md).
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tapwright.core.registry import tell_fault
from tapwright.errors import BrokenPluginError

if TYPE_CHECKING:
    from tapwright.core.registry import Registry

_CHECKS = {
    "agents": "check_agent",
    "benchmarks": "check_benchmark",
    "conventions": "check_convention",
    "devices": "check_device",
    "formats": "check_importer",
    "models": "check_model",
}
"""The families that members of one's own may be of, and what tries one."""

__all__ = [
    "admit_benchmark", "admit_convention", "admit_device", "admit_format", "admit_model",
    "admit_subject", "tell_own_fault",
]  # fmt: skip


def admit_subject(spec: str) -> None:
    """An agent ("module:attribute"), or a model whose client is one's own.

    Raises:
        UsageError: it is neither.
    """
    if "/" in spec:
        admit_model(spec)
    elif ":" in spec:
        _admit("agents", spec)


def admit_model(spec: str) -> None:
    """The client of a model: "module:attribute/model"; raises UsageError for none."""
    client, slash, _ = spec.partition("/")
    if slash and ":" in client:
        _admit("models", client)


def admit_convention(name: str) -> None:
    """A convention, an object and not its class; raises UsageError for none."""
    if ":" in name:
        _admit("conventions", name)


def admit_format(name: str) -> None:
    """A format that episodes are imported from, likewise."""
    if ":" in name:
        _admit("formats", name)


def admit_benchmark(name: str) -> None:
    """What loads a benchmark from the place of its data; raises UsageError for none."""
    if ":" in name:
        _admit("benchmarks", name)


def admit_device(spec: str) -> None:
    """What opens a device: "module:attribute", or "module:attribute:argument".

    Raises:
        UsageError: it is none.
    """
    kind, colon, rest = spec.partition(":")
    if colon and kind not in _family("devices").names():
        _admit("devices", f"{kind}:{rest.partition(':')[0]}")


def tell_own_fault(error: Exception) -> BrokenPluginError | None:
    """What went wrong while members of one's own were in use; None where none were.

    Whatever their code raises, and what tapwright cannot do with what they gave.
    """
    used = {
        name: check
        for family, check in _CHECKS.items()
        if f"tapwright.{family}" in sys.modules
        for name in _family(family).admitted
        if name.partition(":")[0] in sys.modules
    }
    told, is_own = tell_fault(error)
    if not used or (isinstance(error, OSError | ImportError) and not is_own):
        return None
    checks = ", ".join(f"tapwright.testing.{one}" for one in dict.fromkeys(used.values()))
    return BrokenPluginError(
        told if is_own else f"{', '.join(used)}: something that it gave is not taken: {told}",
        hint=f"{checks} tells what is wrong with it; --debug shows the traceback",
    )


def _family(name: str) -> "Registry[Any]":
    """The registry of a package, which has its name, imported now."""
    found: Registry[Any] = getattr(import_module(f"tapwright.{name}"), name)
    return found


def _admit(family: str, name: str) -> None:
    """Admit a name; its module may lie where the command is started, and replaces no other."""
    if "" not in sys.path:
        sys.path.append("")
    _family(family).admit(name)
