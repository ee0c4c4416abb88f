"""MobiAgent's recorded trajectories as episodes, and back."""

from tapwright.formats.mobiagent.importer import actions_from_json

__all__ = ["actions_from_json"]
