"""The registry of benchmarks. To add a benchmark: a file here, and a line in the table."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.benchmarks.benchmark import BenchmarkFactory

benchmarks: "Registry[BenchmarkFactory]" = Registry(
    "benchmarks",
    "benchmark",
    {
        "androidworld": "tapwright.benchmarks.suite:AndroidWorld.load",
        "browsergym": "tapwright.benchmarks.suite:BrowserGym.load",
        "l1": "tapwright.benchmarks.understanding:UnderstandingBenchmark.load",
        "l2": "tapwright.benchmarks.grounding:GroundingBenchmark.load",
        "l3": "tapwright.benchmarks.automation:Automation.load",
        "l4": "tapwright.benchmarks.collaboration:Collaboration.load",
        "miniwob": "tapwright.benchmarks.miniwob:MiniWobPages.load",
        "osworld": "tapwright.benchmarks.suite:OsWorld.load",
        "osworld-g": "tapwright.benchmarks.osworld_g:OSWorldG.load",
        "osworld-g-refined": "tapwright.benchmarks.osworld_g:OSWorldGRefined.load",
        "screenspot": "tapwright.benchmarks.screenspot:ScreenSpot.load",
        "screenspot-pro": "tapwright.benchmarks.screenspot:ScreenSpotPro.load",
        "screenspot-pro-cn": "tapwright.benchmarks.screenspot:ScreenSpotProChinese.load",
        "screenspot-v2": "tapwright.benchmarks.screenspot:ScreenSpotV2.load",
        "steps-agentnet": "tapwright.benchmarks.stepwise:AGENTNET",
        "steps-aitz": "tapwright.benchmarks.stepwise:AITZ",
        "steps-android-control": "tapwright.benchmarks.stepwise:ANDROID_CONTROL",
        "steps-aitw": "tapwright.benchmarks.stepwise:AITW",
        "steps-odyssey": "tapwright.benchmarks.stepwise:ODYSSEY",
        "steps-os-atlas": "tapwright.benchmarks.stepwise:OS_ATLAS",
        "steps-qwen": "tapwright.benchmarks.stepwise:QWEN",
        "ui-vision": "tapwright.benchmarks.ui_vision:UiVision.load",
    },
    "tapwright.benchmarks.benchmark:BenchmarkFactory",
)
get = benchmarks.get
