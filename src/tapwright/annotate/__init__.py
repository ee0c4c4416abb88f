"""Annotators explain the steps of episodes. To add one: a file here, and a line in the table."""

from tapwright.annotate.annotator import Annotator
from tapwright.annotate.answer_check import AnswerVerdict, check_answer
from tapwright.plugins.registry import Registry

__all__ = ["AnswerVerdict", "annotators", "check_answer"]

annotators: Registry[Annotator] = Registry(
    "annotate", "annotator", {"rules": "tapwright.annotate.rules:RULES"}
)
