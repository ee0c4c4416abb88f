"""Run by a Python that has LLaMA-Factory: what its trainer would be given of a set, as JSON lines.

Arguments: the model's directory, the set's, the file to write.
"""

import hashlib
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main(model: str, data: str, out: str) -> None:
    reader: Any = import_module("llamafactory.data")
    arguments, *_ = (
        settings := import_module("llamafactory.hparams").get_train_args(
            {
                "stage": "sft", "do_train": True, "model_name_or_path": model, "template": "llava",
                "finetuning_type": "lora", "dataset_dir": data, "media_dir": data,
                "dataset": "tapwright_train", "cutoff_len": 8192, "output_dir": f"{out}-taught",
                "report_to": "none", "use_cpu": True,
            }
        )
    )  # fmt: skip
    loaded = import_module("llamafactory.model").load_tokenizer(arguments)
    tokenizer = loaded["tokenizer"]
    template = reader.get_template_and_fix_tokenizer(tokenizer, settings[1])
    rows = reader.get_dataset(template, *settings[:3], stage="sft", **loaded)["train_dataset"]
    collate = reader.SFTDataCollatorWith4DAttentionMask(
        template=template, model=None, tokenizer=tokenizer, processor=loaded["processor"]
    )
    with Path(out).open("w", encoding="utf-8") as file:
        for row in rows:
            batch = collate([dict(row)])
            length = int(batch["attention_mask"].sum())  # the rest is padding
            one = {
                "ids": batch["input_ids"][0].tolist()[:length],
                "labels": batch["labels"][0].tolist()[:length],
                "pixels": hashlib.sha256(batch["pixel_values"].numpy().tobytes()).hexdigest(),
            }
            file.write(json.dumps(one) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
