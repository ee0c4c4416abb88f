"""Milestones of a task: graphs of them, and whether an episode passes them."""

from tapwright.tasks.milestones.judgement import judge, read_graph
from tapwright.tasks.milestones.rules import graph_from_dict

__all__ = ["graph_from_dict", "judge", "read_graph"]
