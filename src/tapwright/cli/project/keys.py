"""The keys of `tapwright.toml` that commands share, as pydantic checks and describes them."""

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

__all__ = ["NamedModel", "ProjectFile"]

Strings: TypeAlias = Annotated[list[str], Field(min_length=1)]
Scalar: TypeAlias = str | int | float | bool
Price: TypeAlias = Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=2, max_length=2)]


class NamedModel(BaseModel):
    """A model under a short name: `-m NAME` stands for it and for how it is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(description="The model, such as openai/qwen2.5-vl-7b.")
    convention: str | None = Field(None, description="--convention where this model is asked.")
    base_url: str | Strings | None = Field(None, description="--base-url of its server.")
    settings: dict[str, JsonValue] = Field({}, description="--set KEY=VALUE of its requests.")
    plan: dict[str, Scalar] = Field({}, description="--plan KEY=VALUE where this model is asked.")
    price: Price | None = Field(None, description="--price: of a million tokens, input and output.")


class ProjectFile(BaseModel):
    """The keys of `tapwright.toml` that are shared by commands."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    store: str | None = Field(
        None, description="The store of episodes: STORE, and where episodes are recorded."
    )
    runs: str | None = Field(None, description="The directory of evaluation runs.")
    suite: str | None = Field(None, description="--suite: the suite of tasks, or their directory.")
    device: str | Strings | None = Field(
        None, description="--device; the first of several where a command takes one."
    )
    convention: str | None = Field(None, description="--convention of models.")
    model: str | Strings | None = Field(
        None, description="-m of `eval run`: models and agents, or names of [models]."
    )
    annotator: str | None = Field(
        None, description="The annotator: --with of `annotate`, --annotator of `sft`."
    )
    base_url: str | Strings | None = Field(None, description="--base-url of model servers.")
    settings: dict[str, JsonValue] = Field({}, description="--set KEY=VALUE of every request.")
    prices: str | None = Field(None, description='--price: "IN,OUT", or a JSON file of prices.')
    max_cost: float | None = Field(None, gt=0, description="--max-cost of a command.")
    envs: int | None = Field(None, ge=1, le=64, description="--envs: parallel devices.")
    network: str | None = Field(None, description="--network of the device `web`.")
    models: dict[str, NamedModel] = Field({}, description="Models under short names.")
