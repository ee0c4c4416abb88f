"""Surveys of screens that a test made."""

from collections.abc import Sequence

from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.benchmarks.generated_survey import ScreenSurvey, ScreenSurveyor


def survey(screens: Sequence[RecordedScreen]) -> ScreenSurvey:
    """What the screens have together."""
    surveyor = ScreenSurveyor()
    for screen in screens:
        surveyor.add(screen)
    return surveyor.survey(screens)
