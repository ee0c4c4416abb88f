"""Foreign data formats. To add one: a file in importers/ or exporters/, and a line in the table."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.formats.format import Format

formats: "Registry[Format]" = Registry(
    "formats",
    "format",
    {
        "agentlab": "tapwright.formats.importers.agentlab:AGENTLAB",
        "agentnet": "tapwright.formats.importers.agentnet:AGENTNET",
        "agentnetbench": "tapwright.formats.importers.agentnetbench:AGENTNETBENCH",
        "aitw": "tapwright.formats.importers.aitw:AITW",
        "aitz": "tapwright.formats.importers.aitz:AITZ",
        "amex": "tapwright.formats.importers.amex:AMEX",
        "android-control": "tapwright.formats.importers.android_control:ANDROID_CONTROL",
        "androidworld": "tapwright.formats.importers.android_world:ANDROID_WORLD",
        "atif": "tapwright.formats.atif:ATIF",
        "axolotl": "tapwright.formats.exporters.axolotl:AXOLOTL",
        "easyr1": "tapwright.formats.exporters.easyr1:EASYR1",
        "gui-360": "tapwright.formats.importers.gui360:GUI_360",
        "guiact": "tapwright.formats.importers.guiact:GUIACT",
        "gui-odyssey": "tapwright.formats.importers.gui_odyssey:GUI_ODYSSEY",
        "hf": "tapwright.formats.exporters.hugging_face:HUGGING_FACE",
        "inspect": "tapwright.formats.importers.inspect_logs:INSPECT",
        "lerobot": "tapwright.formats.exporters.lerobot:LEROBOT",
        "llamafactory": "tapwright.formats.exporters.llamafactory:LLAMAFACTORY",
        "llamafactory-alpaca": "tapwright.formats.exporters.llamafactory:LLAMAFACTORY_ALPACA",
        "mobiagent": "tapwright.formats.mobiagent.importer:MOBIAGENT",
        "mobiagent-sft": "tapwright.formats.exporters.mobiagent_sft:MOBIAGENT_SFT",
        "mobile-env": "tapwright.formats.mobile_env.episodes:MOBILE_ENV",
        "ms-swift": "tapwright.formats.exporters.ms_swift:MS_SWIFT",
        "multimodal-mind2web": (
            "tapwright.formats.importers.multimodal_mind2web:MULTIMODAL_MIND2WEB"
        ),
        "omniact": "tapwright.formats.importers.omniact:OMNIACT",
        "osworld": "tapwright.formats.osworld.importer:OSWORLD",
        "rendered": "tapwright.formats.exporters.rendered:RENDERED",
        "screenagent": "tapwright.formats.importers.screenagent:SCREENAGENT",
        "trl": "tapwright.formats.exporters.trl:TRL",
        "trl-dpo": "tapwright.formats.exporters.trl_play:TRL_DPO",
        "trl-grpo": "tapwright.formats.exporters.trl_play:TRL_GRPO",
        "trl-kto": "tapwright.formats.exporters.trl_play:TRL_KTO",
        "trl-rollouts": "tapwright.formats.exporters.trl_play:TRL_ROLLOUTS",
        "verl-rl": "tapwright.formats.exporters.verl:VERL_RL",
        "verl-sft": "tapwright.formats.exporters.verl:VERL_SFT",
        "weblinx": "tapwright.formats.importers.weblinx:WEBLINX",
        "webdataset": "tapwright.formats.exporters.web_dataset:WEB_DATASET",
    },
)
get = formats.get
