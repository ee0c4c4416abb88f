"""AndroidWorld: 116 tasks in 20 apps of an Android emulator, judged by what the apps store.

https://github.com/google-research/android_world (d9c569f), Apache-2.0; arXiv 2405.14573. Its
requirements are those of requirements.txt there, where a version is given.
"""

from tapwright.harnesses.harness import Harness, program_path

__all__ = ["SUITE"]

SUITE = Harness(
    name="androidworld",
    title="AndroidWorld",
    program=program_path("androidworld_suite"),
    device="adb",
    home="https://github.com/google-research/android_world",
    licence="Apache-2.0",
    repository="https://github.com/google-research/android_world.git",
    commit="d9c569f764b3a5629321858de03ff653d0f24056",
    python="3.11",
    requirements=(
        "absl-py==2.1.0", "android_env==1.2.3", "dm_env==1.6", "fuzzywuzzy==0.18.0",
        "google-generativeai", "grpcio-tools==1.71.0", "protobuf==5.29.5", "immutabledict==2.0.0",
        "IPython", "jsonschema==4.17.3", "matplotlib==3.6.1", "numpy==1.26.3", "opencv-python",
        "pandas==2.1.4", "pydub", "python-Levenshtein", "requests", "tenacity", "termcolor",
        "pytest",
    ),
    needs="an emulator: Pixel 6, API 33, with the suite's apps set up once",
)  # fmt: skip
