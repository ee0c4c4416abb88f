"""BrowserGym: WebArena, VisualWebArena, WorkArena, AssistantBench and MiniWoB++ as tasks.

https://github.com/ServiceNow/BrowserGym (0.14.3, 9e779f0), Apache-2.0; arXiv 2412.05467. Its tasks
set up and judge a page of the browser that the agent uses; its own loop, which waits for seconds
in each step, is not run.
"""

from tapwright.harnesses.harness import Harness, program_path

__all__ = ["SUITE"]

SUITE = Harness(
    name="browsergym",
    title="BrowserGym",
    program=program_path("browsergym_suite"),
    device="web",
    home="https://github.com/ServiceNow/BrowserGym",
    licence="Apache-2.0",
    python="3.11",
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
)  # fmt: skip
