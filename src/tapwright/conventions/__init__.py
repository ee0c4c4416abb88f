"""How model families speak. To add one: a row in a module, and its name in the table."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.conventions.convention import Convention

_NAMES: Mapping[str, str] = {
    "agentcpm_gui": "agentcpm-gui agentcpm-gui-vllm",
    "aguvis": "aguvis",
    "androidworld": "androidworld",
    "answer_tags": (
        "gui-r1-android-control gui-r1-guiact-web gui-r1-odyssey gui-r1-omniact-desktop "
        "gui-r1-omniact-web ui-agile-android-control"
    ),
    "anthropic_computer": "anthropic-computer anthropic-computer-high",
    "autoglm": "autoglm autoglm-en",
    "code_sections": (
        "evocua-s1 kimi-k2.5 kimi-k2.5-instant kimi-vl opencua opencua-72b "
        "opencua-agentnetbench opencua-qwen2.5"
    ),
    "cogagent": "cogagent cogagent-mac cogagent-win",
    "computer_use": "evocua-s2 gui-owl-computer",
    "fara": "fara",
    "gemini_computer": "gemini-computer",
    "glm_v": "glm-4.1v glm-4.1v-computer glm-4.5v glm-4.5v-computer",
    "grounders": (
        "aria-ui cogagent-chat duvo-eye-1 ferret-ui focusui focusui-qwen3 fuyu gpt-4x gpt-5 "
        "groundnext gta1 gui-actor gui-actor-qwen2 gui-aima gui-g1 gui-g2 gui-r1 holo holo1 "
        "holo1.5 holo2 infigui-g1 internvl2 jedi "
        "minicpm-v mmbench-gui os-atlas-base-4b os-atlas-base-7b phi-ground qwen-vl qwen2-vl "
        "qwen3-vl-grounding qwen3.5-grounding se-gui seeclick showui tongui uground-v1 "
        "ui-agile ui-ins ui-r1 ui-r1-e ui-venus-ground zonui"
    ),
    "mobile_use": "gui-owl gui-owl-androidworld mai-ui",
    "mobimind": "mobimind-decider mobimind-e2e mobimind-grounder mobimind-grounder-qwen3",
    "openai_computer": "openai-computer openai-computer-preview",
    "os_atlas": "os-atlas os-atlas-android-control os-atlas-desktop os-atlas-odyssey os-atlas-web",
    "qwen_vl": (
        "infigui-r1 qwen2.5-vl qwen2.5-vl-computer qwen2.5-vl-osworld qwen3-vl qwen3-vl-computer "
        "qwen3-vl-osworld qwen3.5-vl-computer"
    ),
    "scalecua": "scalecua scalecua-android",
    "step_gui": "step-gui",
    "ui_tars": (
        "dart-gui doubao-1.5-ui-tars doubao-1.5-ui-tars-computer mano ui-tars-1.0 "
        "ui-tars-1.0-computer "
        "ui-tars-1.5 ui-tars-1.5-computer"
    ),
    "ui_venus": "ui-venus-1.0 ui-venus-1.0-72b ui-venus-1.5 ui-venus-1.5-web",
}
"""The conventions of each module; "ui-tars-1.5" is its UI_TARS_1_5."""

conventions: "Registry[Convention]" = Registry(
    "conventions",
    "convention",
    {
        name: f"tapwright.conventions.{module}:{re.sub('[-.]', '_', name).upper()}"
        for module, names in _NAMES.items()
        for name in names.split()
    }
    | {
        "android-tools": "tapwright.conventions.android_tools:ANDROID_TOOLS_CONVENTION",
        "json": "tapwright.conventions.json:JSON_CONVENTION",
    },
    "tapwright.conventions.convention:Convention",
)
get = conventions.get
