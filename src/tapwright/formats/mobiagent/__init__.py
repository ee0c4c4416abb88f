"""MobiAgent's recorded trajectories, imported as episodes and exported."""

from tapwright.formats.mobiagent.importer import actions_from_json

__all__ = ["actions_from_json"]
