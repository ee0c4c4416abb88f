"""The clock of a site's program: every way to ask for the time tells one moment, and it goes on."""

import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parents[2] / "src/tapwright/sites/programs"
ASK = """
import clock
clock.install()
import datetime, time
clock.start_at("2026-03-16T09:00:00+00:00")
told = [
    time.time(),
    datetime.datetime.now(datetime.UTC).timestamp(),
    datetime.datetime.now().timestamp(),
    datetime.datetime.utcnow().replace(tzinfo=datetime.UTC).timestamp(),
]
assert all(0 <= one - 1773651600 < 600 for one in told), told
assert told[0] <= told[1] <= time.time()
assert datetime.date.today() == datetime.date(2026, 3, 16)
later = datetime.datetime.now() + datetime.timedelta(days=1)
assert isinstance(later - datetime.timedelta(days=1), datetime.datetime)
assert not isinstance(datetime.date.today(), datetime.datetime)
clock.start_at("2027-01-01T00:00:00+00:00")
assert datetime.datetime.now().year == 2027
"""


def test_every_way_to_ask_for_the_time_tells_the_moment_that_was_set() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=PROGRAMS,
        env={"TZ": "UTC"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
