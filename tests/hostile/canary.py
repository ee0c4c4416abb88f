"""What hostile inputs name as code to run; it leaves a mark where it is imported or called."""

import os

os.environ["TAPWRIGHT_TEST_CANARY"] = "dead"


def strike(*given: object) -> None:
    """Leave the mark."""
    os.environ["TAPWRIGHT_TEST_CANARY"] = "dead"
