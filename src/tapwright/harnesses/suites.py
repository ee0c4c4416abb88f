"""The suites that tapwright knows: whose they are, what they need, which program drives them."""

from tapwright.harnesses.harness import Harness, program_path

__all__ = ["ANDROIDWORLD", "BROWSERGYM", "OSWORLD"]

# fmt: off
ANDROIDWORLD = Harness(
    name="androidworld", title="AndroidWorld", program=program_path("androidworld_suite"),
    device="adb", home="https://github.com/google-research/android_world", licence="Apache-2.0",
    repository="https://github.com/google-research/android_world.git",
    commit="d9c569f764b3a5629321858de03ff653d0f24056", python="3.11",
    requirements=(
        "absl-py==2.1.0", "android_env==1.2.3", "dm_env==1.6", "fuzzywuzzy==0.18.0",
        "google-generativeai", "grpcio-tools==1.71.0", "protobuf==5.29.5", "immutabledict==2.0.0",
        "IPython", "jsonschema==4.17.3", "matplotlib==3.6.1", "numpy==1.26.3", "opencv-python",
        "pandas==2.1.4", "pydub", "python-Levenshtein", "requests", "tenacity", "termcolor",
        "pytest",
    ),
    needs="an emulator: Pixel 6, API 33, with the suite's apps set up once",
)
"""AndroidWorld: 116 tasks in 20 apps of an Android emulator, judged by what the apps store.

https://github.com/google-research/android_world (d9c569f), Apache-2.0; arXiv 2405.14573. Its
requirements are those of requirements.txt there, where a version is given.
"""

BROWSERGYM = Harness(
    name="browsergym", title="BrowserGym", program=program_path("browsergym_suite"), device="web",
    home="https://github.com/ServiceNow/BrowserGym", licence="Apache-2.0", python="3.11",
    requirements=(
        "browsergym-core==0.14.3", "browsergym-miniwob==0.14.3", "browsergym-webarena==0.14.3",
        "browsergym-assistantbench==0.14.3", "browsergym-visualwebarena==0.14.3",
        "browsergym-workarena==0.5.3", "miniwob==1.1.0",
    ),
    options={
        "only": "the packages whose tasks are played, such as webarena,miniwob; by default all",
        "miniwob": "where MiniWoB++'s html folder is, an address or a directory",
        "start_url": "the page that openended begins at, and AssistantBench in place of Google",
        "goal": "what the task openended asks",
    },
    needs=(
        "webarena, visualwebarena: their sites, at the addresses in WA_* and VWA_*; workarena: a "
        "ServiceNow instance (SNOW_*); assistantbench: the internet; miniwob, openended: nothing"
    ),
    secrets=("OPENAI_API_KEY", "HF_TOKEN"),  # for its judges, and WorkArena's list of instances
)
"""BrowserGym: WebArena, VisualWebArena, WorkArena, AssistantBench and MiniWoB++ as tasks.

https://github.com/ServiceNow/BrowserGym (0.14.3, 9e779f0), Apache-2.0; arXiv 2412.05467. Its tasks
set up and judge a page of the browser that the agent uses; its own loop, which waits for seconds
in each step, is not run.
"""

OSWORLD = Harness(
    name="osworld", title="OSWorld", program=program_path("osworld_suite"), device="osworld",
    home="https://github.com/xlang-ai/OSWorld", licence="Apache-2.0", python="3.11",
    requirements=("desktop-env==1.0.2",),
    options={
        "data": "a checkout of OSWorld, or its evaluation_examples: the tasks",
        "meta": "a file of tasks by domain in place of its test_all.json, such as test_small.json",
        "cache": "where files for set-ups and evaluations are kept; by default ~/.cache/tapwright",
        "chromium_port": "the port of the machine's Chrome, 9222",
        "vlc_port": "the port of the machine's VLC, 8080",
        "client_password": "the password of the machine's user, 'password'",
        "revert": "a command for the shell that puts the VM at $TAPWRIGHT_HOST back to its "
        "snapshot, before each set-up; its server must answer when an attempt begins",
    },
    needs="a VM of OSWorld's, or tapwright devices serve --protocol osworld; --suite-option data=",
)
"""OSWorld: 369 tasks on an Ubuntu desktop, judged by files, settings and pages.

https://github.com/xlang-ai/OSWorld, Apache-2.0; arXiv 2404.07972. Its code is the package
desktop-env of PyPI, its tasks are files of a checkout, evaluation_examples/examples/DOMAIN/ID.json.
"""
