"""OSWorld: 369 tasks on an Ubuntu desktop, judged by files, settings and pages.

https://github.com/xlang-ai/OSWorld, Apache-2.0; arXiv 2404.07972. Its code is the package
desktop-env of PyPI, its tasks are files of a checkout, evaluation_examples/examples/DOMAIN/ID.json.
"""

from tapwright.harnesses.harness import Harness, program_path

__all__ = ["SUITE"]

SUITE = Harness(
    name="osworld",
    title="OSWorld",
    program=program_path("osworld_suite"),
    device="osworld",
    home="https://github.com/xlang-ai/OSWorld",
    licence="Apache-2.0",
    python="3.11",
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
