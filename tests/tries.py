"""How often a test tries what it can try without end: some in the check, all in `make test-all`."""

import os

import pytest

ALL = "TAPWRIGHT_ALL" in os.environ
alone = pytest.mark.skipif(not ALL, reason="minutes long: make test-all runs it")
"""Of a test that the check has no time for."""
