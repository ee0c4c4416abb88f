"""The card of a data set on the Hugging Face Hub: which files are which split.

https://huggingface.co/docs/hub/datasets-manual-configuration
"""

from collections.abc import Iterable
from pathlib import Path

from tapwright.formats.format import Split

_NAMES: dict[Split, str] = {"train": "train", "val": "validation"}


def write_card(directory: Path, splits: Iterable[Split]) -> None:
    """Write README.md, so that `load_dataset(directory)` finds each split's shards in `data/`."""
    files = "".join(
        f'  - split: {_NAMES[split]}\n    path: "data/{split}-*.parquet"\n' for split in splits
    )
    text = f"---\nconfigs:\n- config_name: default\n  data_files:\n{files}---\n"
    (directory / "README.md").write_text(text, encoding="utf-8")
