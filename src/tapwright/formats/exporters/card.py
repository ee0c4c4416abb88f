"""The data set card of a training set: what its manifest tells, for the hub's page.

https://huggingface.co/docs/hub/datasets-cards
"""

from pathlib import Path

from tapwright.formats.exporters.check import read_json

__all__ = ["render_training_card"]

_COUNTS = {"samples": "samples", "episodes": "episodes"}


def render_training_card(directory: Path) -> str:
    """The card of a training set, from its manifest.json; "" for a directory without one.

    Raises:
        BadTrainingSetError: the manifest is not JSON.
    """
    if not (directory / "manifest.json").is_file():
        return ""
    manifest = read_json(directory / "manifest.json")
    if not isinstance(manifest, dict):
        return ""
    rows = "".join(
        f"| {split} {what} | {count} |\n"
        for what, name in _COUNTS.items()
        for split, count in sorted(_counts(manifest.get(name)).items())
    )
    dropped = manifest.get("dropped")
    return (
        "---\ntags:\n- gui-agent\n---\n\n# Training samples of GUI agents\n\n"
        f"Written by tapwright in the format `{manifest.get('format')}`, in the words of the "
        f"convention `{manifest.get('convention')}`.\n\n"
        f"| | |\n|---|---|\n{rows}| images | {manifest.get('images')} |\n"
        f"| steps left out | {len(dropped) if isinstance(dropped, list) else 0} |\n\n"
        "`manifest.json` has the settings, the hash of each file (an image is named by its own), "
        "and every step that was left out with its reason.\n"
    )


def _counts(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}
