"""Who says why a step was made. To add one: a file here, and a line in the table."""

from tapwright.annotate.annotator import Annotator
from tapwright.registry import Registry

annotators: Registry[Annotator] = Registry(
    "annotate",
    "annotator",
    {
        "rules": "tapwright.annotate.rules:RULES",
    },
)
