"""Run by a Python that has ms-swift: what its trainer would be given of a set, as JSON lines.

Arguments: the model's directory, the set's, the file to write.
"""

import hashlib
import json
import os
import sys
from importlib import import_module
from pathlib import Path


def main(model: str, data: str, out: str) -> None:
    os.chdir(data)  # pictures are named from there
    trainer = import_module("swift.pipelines.train.sft").SwiftSft(
        [
            "--model", model, "--model_type", "llava1_5_hf", "--dataset", "train.jsonl",
            "--split_dataset_ratio", "0", "--max_length", "8192", "--output_dir", f"{out}-taught",
            "--torch_dtype", "float32", "--lazy_tokenize", "false", "--report_to", "none",
            "--load_from_cache_file", "false", "--dataset_shuffle", "false",
        ]
    )  # fmt: skip
    rows, _ = trainer._prepare_dataset()
    with Path(out).open("w", encoding="utf-8") as file:
        for row in rows:
            batch = trainer.template.data_collator([row])
            length = int(batch["attention_mask"].sum())  # the rest is padding
            one = {
                "ids": batch["input_ids"][0].tolist()[:length],
                "labels": batch["labels"][0].tolist()[:length],
                "pixels": hashlib.sha256(batch["pixel_values"].numpy().tobytes()).hexdigest(),
            }
            file.write(json.dumps(one) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
