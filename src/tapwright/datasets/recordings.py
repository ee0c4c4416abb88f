"""Sets of recordings by name: their facts, read as those of `table.py` were.

Of three sources no commit exists: two buckets, whose storage states an MD5 sum of each object, and
one file on Google Drive, of which no hash is published. CAGUI's commit stands nowhere in full. The
first download fixes both.
"""

from tapwright.datasets.buckets import BucketSource, FileSource
from tapwright.datasets.dataset import Archive, Dataset
from tapwright.datasets.github import GitHubSource
from tapwright.datasets.hub import HubSource

__all__ = [
    "AGENTNET", "AGENTNETBENCH", "AGENTNET_UBUNTU", "AGENTNET_WIN_MAC", "AITW", "AITW_GENERAL",
    "AITW_GOOGLE_APPS", "AITW_INSTALL", "AITW_SINGLE", "AITW_WEB_SHOPPING", "AITZ", "AMEX",
    "ANDROID_CONTROL", "CAGUI", "GUIACT", "GUIACT_SMARTPHONE", "GUIACT_WEB_MULTI",
    "GUIACT_WEB_SINGLE", "GUI_360", "GUI_ODYSSEY", "MULTIMODAL_MIND2WEB", "OMNIACT", "SCREENAGENT",
    "UI_S1", "WEBLINX",
]  # fmt: skip

# fmt: off

ANDROID_CONTROL = Dataset(
    "android-control",
    "AndroidControl",
    BucketSource("gresearch", "android_control/"),
    licence="Apache-2.0",
    size=49_930_000_000,
    citation="arXiv:2406.03679",
    evidence="google-research/android_control/README.md; size: the listing of the bucket",
    marks=("android_control*",),
    format="android-control",
)


def _aitw(part: str = "") -> Dataset:
    name = part.replace("_", "-")
    return Dataset(
        f"aitw-{name}" if part else "aitw",
        f"Android in the Wild, {name}" if part else "Android in the Wild",
        BucketSource(
            "gresearch", "android-in-the-wild/", (f"{part}/", "splits/") if part else ("",)
        ),
        licence="CC BY 4.0",
        size=0,
        citation="arXiv:2307.10088",
        evidence="google-research/android_in_the_wild/README.md; licence: the hub's copy of it; "
        "its size is in the listing alone",
        marks=("*/*-of-*",),
        format="aitw",
    )


AITW = _aitw()
AITW_GENERAL = _aitw("general")
AITW_GOOGLE_APPS = _aitw("google_apps")
AITW_INSTALL = _aitw("install")
AITW_SINGLE = _aitw("single")
AITW_WEB_SHOPPING = _aitw("web_shopping")

AITZ = Dataset(
    "aitz",
    "Android in the Zoo",
    FileSource(
        "https://drive.usercontent.google.com/download"
        "?id=12xOV2m62fBUFLhMcWIsFiC6zwV7a2RhI&export=download&confirm=t",
        "android_in_the_zoo.zip",
        "https://drive.google.com/file/d/12xOV2m62fBUFLhMcWIsFiC6zwV7a2RhI/view",
    ),
    licence="Apache-2.0",
    size=2_600_000_000,
    citation="arXiv:2403.02713",
    evidence="IMNearth/CoAT@9ab1a9f README.md; no hash is published",
    marks=("**/*.json",),
    archives=(Archive("android_in_the_zoo.zip", "android_in_the_zoo", ""),),
    format="aitz",
)

GUI_ODYSSEY = Dataset(
    "gui-odyssey",
    "GUI-Odyssey, second release",
    HubSource(
        "hflqf88888/GUIOdyssey",
        "61632d0f3f4d51d7e9561ce4f84347dd06b2019d",
        ("annotations/*", "screenshots/*", "splits/*", "README.md"),
    ),
    licence="CC BY 4.0",
    size=92_800_000_000,
    citation="arXiv:2406.08451",
    evidence="OpenGVLab/GUI-Odyssey@fefcbe9 README.md points to it; commit and licence: the card; "
    "files: cua-lite's how-to",
    marks=("annotations/*.json", "screenshots/*.png"),
    archives=(Archive("screenshots/screenshots.zip", "", "screenshots"),),
    format="gui-odyssey",
)

_UBUNTU = ("agentnet_ubuntu_5k.jsonl", "ubuntu_images")
_WIN_MAC = ("agentnet_win_mac_18k.jsonl", "win_mac_images")


def _agentnet(part: str, size: int, *contents: tuple[str, str]) -> Dataset:
    patterns = [pattern for file, folder in contents for pattern in (file, f"{folder}/*")]
    return Dataset(
        f"agentnet{part and '-'}{part}",
        f"AgentNet{part and ', '}{part}",
        HubSource("xlangai/AgentNet", "d76ee50a63fad81cfdbe576416757d7c2091ed50", tuple(patterns)),
        licence="MIT",
        size=size,
        citation="arXiv:2508.09123",
        evidence="xlang-ai/OpenCUA@1d70f20 README.md; files: the hub's page; commit, sizes and the "
        "sum: projects that pin it",
        marks=("*.jsonl", "images/*"),
        archives=tuple(Archive(f"{folder}/images.zip", "", "images") for _, folder in contents),
        sums={
            "agentnet_win_mac_18k.jsonl": (
                "5c0d782cbf55af02835c3d6d9120072b87c06d24c5a8354c2544bd8d3568e72c"
            )
        },
        format="agentnet",
    )


AGENTNET = _agentnet("", 200_000_000_000, _UBUNTU, _WIN_MAC)
AGENTNET_UBUNTU = _agentnet("ubuntu", 73_800_000_000, _UBUNTU)
AGENTNET_WIN_MAC = _agentnet("win-mac", 126_000_000_000, _WIN_MAC)

SCREENAGENT = Dataset(
    "screenagent",
    "ScreenAgent's sessions",
    GitHubSource("niuzaisheng/ScreenAgent", "2312c852908dda5fbc43d903fad5929a9dec649d"),
    licence="Apache-2.0",
    size=200_000_000,
    citation="arXiv:2402.07945",
    evidence="its README.md, and data/ScreenAgent, at this commit",
    marks=("train/*",),
    archives=(Archive("archive.zip", "ScreenAgent", ""),),
    sums={"": "6c951803feee8d950e92769d67e47a2396a840cf12251b56eaadb1aec292c21e"},
    format="screenagent",
)


def _guiact(part: str, size: int) -> Dataset:
    return Dataset(
        f"guiact{part and '-'}{part}",
        f"GUIAct{part and ', '}{part}",
        HubSource(
            "yiye2023/GUIAct",
            "9f3341d4670624aa6bf4a6eb71544d1b09961c0e",
            (f"{part}*_data.json", f"{part}*_images.parquet"),
        ),
        licence="Apache-2.0",
        size=size,
        citation="arXiv:2406.11317",
        evidence="commit and files: Xiaooolong/vev@1029da5, data/sources/image_guicourse.py; "
        "sizes and licence: the hub's page",
        marks=("*_data.json", "*_images.parquet"),
        format="guiact",
    )


GUIACT = _guiact("", 16_540_000_000)
GUIACT_SMARTPHONE = _guiact("smartphone", 4_460_000_000)
GUIACT_WEB_MULTI = _guiact("web-multi", 5_830_000_000)
GUIACT_WEB_SINGLE = _guiact("web-single", 6_240_000_000)

MULTIMODAL_MIND2WEB = Dataset(
    "multimodal-mind2web",
    "Multimodal-Mind2Web",
    HubSource(
        "osunlp/Multimodal-Mind2Web", "1b4c6a8cf9f77b7a5e0d641959935c80c4a05889", ("data/*",)
    ),
    licence="OpenRAIL",
    size=13_600_000_000,
    citation="arXiv:2401.01614",
    evidence="files, size, licence and commit: the hub's page; commit: six projects that pin it",
    marks=("data/*.parquet",),
    format="multimodal-mind2web",
)

AMEX = Dataset(
    "amex",
    "AMEX",
    HubSource("Yuxiang007/AMEX", "17196b29c88dd48a7fb90ef9131bc5c7bf39f26e", ("AMEX/*",)),
    licence="CC BY 4.0",
    size=93_600_000_000,
    citation="arXiv:2407.17490",
    evidence="files, licence and the sum: the hub's pages of this commit and of 52ab832; commit "
    "and sizes: Xiaooolong/vev@1029da5, data/sources/image_amex.py",
    marks=("instruction_anno/*.json", "screenshot/*.png"),
    archives=tuple(
        Archive(f"AMEX/{folder}.zip", folder, folder)
        for folder in ("instruction_anno", "element_anno", "screenshot")
    ),
    sums={
        "AMEX/element_anno.zip": "af89e503d114ea14c1e362b32e5503ff566acdf1c0e9ff2021745b3dba72d939"
    },
    format="amex",
)

GUI_360 = Dataset(
    "gui-360",
    "GUI-360, train",
    HubSource(
        "vyokky/GUI-360",
        "1c46362efaae836c601004e77b98a1aba89a530f",
        ("train/data/*", "train/image.tar.gz"),
    ),
    licence="MIT",
    size=41_400_000_000,
    citation="arXiv:2511.04307",
    evidence="files and licence: the hub's page; what the archive holds: cua-lite@26025097, "
    "lite/data/preproc/gui360; commit and the lines' size: projects' how-tos",
    marks=("train/data/*/*/*/*.jsonl", "train/image/*"),
    archives=(Archive("train/image.tar.gz", "image", "train/image"),),
    format="gui-360",
)

OMNIACT = Dataset(
    "omniact",
    "OmniACT",
    HubSource(
        "Writer/omniact",
        "18c211549eb4153515204726c46a88c1be03f051",
        ("train.json", "val.json", "test.json", "data.zip", "README.md"),
    ),
    licence="MIT",
    size=263_000_000,
    citation="arXiv:2402.17553",
    evidence="files, sizes and licence: the hub's page of this commit; what the archive holds: "
    "hongliang-wei/jevtrainer, which reads it",
    marks=("train.json", "data/tasks/*", "data/data/*"),
    archives=(Archive("data.zip", "data", "data"),),
    format="omniact",
)

CAGUI = Dataset(
    "cagui",
    "CAGUI, agent",
    HubSource("openbmb/CAGUI", "", ("CAGUI_agent/*",)),
    licence="CC BY-NC 4.0",
    size=847_000_000,
    citation="arXiv:2506.01391",
    evidence="files, size and licence: the hub's page, at the short commit f451ec0",
    marks=("CAGUI_agent/**/*.json",),
    format="aitz",
)

WEBLINX = Dataset(
    "weblinx",
    "WebLINX, the demonstrations",
    HubSource(
        "McGill-NLP/WebLINX-full",
        "36ef9f79b43df50e25b7f3b68e5c9f6ccf4160e8",
        ("demonstrations/*/replay.json", "demonstrations/*/screenshots/*"),
    ),
    licence="CC BY-NC-SA 4.0",
    size=0,
    citation="arXiv:2402.05930",
    evidence="files: the hub's page; commit: moeleak/LLaDA-o@e980245, scripts/data; licence: the "
    "card of McGill-NLP/WebLINX, which McGill-NLP/weblinx@6943bf1 README.md names; its size is in "
    "the listing alone",
    marks=("demonstrations/*/replay.json",),
    format="weblinx",
)

UI_S1 = Dataset(
    "ui-s1",
    "UI-S1's lines of AndroidControl, without pictures",
    GitHubSource("X-PLUG/MobileAgent", "11cea575561fb7800b5fb6b6cafa56f7a91de11f"),
    licence="MIT",
    size=0,
    citation="arXiv:2509.11543",
    evidence="its LICENSE, and UI-S1/datasets, at this commit",
    marks=("*.jsonl",),
    archives=(Archive("archive.zip", "UI-S1/datasets", ""),),
    sums={"": "968cd7e78614038ab98c44205ad5e9a8bcd954610d906cd8455ecd9f324891e4"},
    format="android-control",
)

AGENTNETBENCH = Dataset(
    "agentnetbench",
    "AgentNetBench, its samples",
    GitHubSource("xlang-ai/OpenCUA", "1d70f20663dcaa01f10c7fed5669887286545866"),
    licence="MIT",
    size=0,
    citation="arXiv:2508.09123",
    evidence="its LICENSE, and evaluation/agentnetbench/sample_data, at this commit",
    marks=("*.json", "images/*"),
    archives=(Archive("archive.zip", "agentnetbench/sample_data", ""),),
    sums={"": "3f9c2a74d06058c78b7941acc66d7de17565126e8cad5e7f141c41c409a1d8ab"},
    format="agentnetbench",
)
