"""What is measured. To add a benchmark: a file here, and a line in the table."""

from tapwright.benchmarks.benchmark import BenchmarkFactory
from tapwright.registry import Registry

benchmarks: Registry[BenchmarkFactory] = Registry(
    "benchmarks",
    "benchmark",
    {
        "l1": "tapwright.benchmarks.understanding:Understanding.load",
        "l2": "tapwright.benchmarks.grounding:Grounding.load",
        "l3": "tapwright.benchmarks.automation:Automation.load",
    },
)
