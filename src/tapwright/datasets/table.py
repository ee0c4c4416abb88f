"""Data of benchmarks by name: sources, commits, sizes, licences, and where each fact was read.

Commits of hub repositories are those that other projects pin, compared with the short commit on the
hub's own page where a stored copy of that page could be read; nothing of this was downloaded here.
"""

from tapwright.datasets.dataset import Archive, Dataset
from tapwright.datasets.github import GitHubSource
from tapwright.datasets.hub import HubSource

__all__ = ["MMBENCH_GUI", "OSWORLD_G", "SCREENSPOT", "SCREENSPOT_PRO", "SCREENSPOT_V2", "UI_VISION"]

# fmt: off

MMBENCH_GUI = Dataset(
    "mmbench-gui", "MMBench-GUI, L1 and L2",
    HubSource("OpenGVLab/MMBench-GUI", "e27757e3910e0d5995b811f916b509b4e34a4690"),
    licence="Apache-2.0", size=1_090_000_000, citation="arXiv:2507.19478",
    evidence="files, sizes and licence: the hub's page; commit: zhangruotian/SelectGround README",
    marks=("L2_annotations.json", "offline_images/*"),
    archives=(Archive("MMBench-GUI-OfflineImages.zip", "offline_images", "offline_images"),),
    benchmarks=("l1", "l2"),
)

SCREENSPOT = Dataset(
    "screenspot", "ScreenSpot",
    # Its former name is rootsautomation/ScreenSpot.
    HubSource(
        "bevaya/ScreenSpot", "0be08781e2e188582f6131625ae1598d443b4d5d", ("data/test-*.parquet",)
    ),
    licence="Apache-2.0", size=602_316_816, citation="arXiv:2401.10935",
    evidence="columns, size and licence: the dataset card at this commit; sums: moonvit_glue, "
    "which froze the three files of this commit",
    marks=("screenspot_web.json", "screenspot_imgs/*"),
    sums={
        "data/test-00000-of-00003.parquet": (
            "ff06d312270eecc9d9ac968a51ceb0bc54f80cfda691ccccb8ebf4b4e5faa8fb"
        ),
        "data/test-00001-of-00003.parquet": (
            "d48b8275f9dcff56f9c1bfedafbeb018cc200cbb649f8a92299cba0a9130891a"
        ),
        "data/test-00002-of-00003.parquet": (
            "a28a1e9f027003730c1375550bfdd3b212d0c0b5c24b338140309a2af3674e5b"
        ),
    },
    benchmarks=("screenspot",),
)

SCREENSPOT_V2 = Dataset(
    "screenspot-v2", "ScreenSpot-v2",
    HubSource("OS-Copilot/ScreenSpot-v2", "5efbb1f1b5463a575f2eb7bc30fe29e49c15f93c"),
    licence="Apache-2.0", size=1_330_000_000, citation="arXiv:2410.23218",
    evidence="files, sizes, licence and commit: the hub's page; folder in the zip: SelectGround",
    marks=("screenspot_web_v2.json", "screenspotv2_image/*"),
    archives=(Archive("screenspotv2_image.zip", "screenspotv2_image", "screenspotv2_image"),),
    benchmarks=("screenspot-v2",),
)

SCREENSPOT_PRO = Dataset(
    "screenspot-pro", "ScreenSpot-Pro",
    HubSource(
        "likaixin/ScreenSpot-Pro",
        "210e78d3844251110bff86c95835ebd37a6930fa",
        ("annotations/*", "images/*", "README.md"),
    ),
    licence="MIT", size=3_200_000_000, citation="arXiv:2504.07981",
    evidence="files: the hub's page; commit and licence: an audit that compared file and hash; "
    "size: GTA1's scripts",
    marks=("annotations/*.json", "images/*"),
    sums={
        "annotations/vscode_macos.json": (
            "55f9b91d3986d8fb027c76b0518b2eb8aa94139601014c4125f81bf839a4667a"
        )
    },
    benchmarks=("screenspot-pro", "screenspot-pro-cn"),
)

OSWORLD_G = Dataset(
    "osworld-g", "OSWorld-G",
    GitHubSource("xlang-ai/OSWorld-G", "daa6bd8e0e629f0917ad2984df930bf0bd967540"),
    licence="Apache-2.0", size=130_000_000, citation="arXiv:2505.13227",
    evidence="commit, files and size: allenai/olmo-eval, vision/benchmarks/os_world_g.py; the hub "
    "has only a cut of it, MMInstruction/OSWorld-G, without its refusals",
    marks=("OSWorld-G.json", "images/*"), archives=(Archive("archive.zip", "benchmark", ""),),
    benchmarks=("osworld-g", "osworld-g-refined"),
)

UI_VISION = Dataset(
    "ui-vision", "UI-Vision, element grounding",
    HubSource(
        "ServiceNow/ui-vision",
        "766c66aeffef16608d4916525902d9fb2598d7ce",
        ("annotations/element_grounding/*", "images/element_grounding/*", "README.md"),
    ),
    licence="MIT", size=784_000_000, citation="arXiv:2503.15661",
    evidence="files, size, licence and short commit: the hub's page; commit: a stored acquisition",
    marks=("annotations/element_grounding/*.json", "images/*"), benchmarks=("ui-vision",),
)
