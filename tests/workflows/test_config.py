import pickle

import pytest

from tapwright.core.secret_destinations import OPENAI_KEY
from tapwright.evaluate.errors import PlanError
from tapwright.workflows.agents import AgentConfig
from tapwright.workflows.engine import Engine
from tapwright.workflows.host import HostConfig, ModelOptions

KEY = "not-for-everybody"


def test_an_agents_configuration_is_read_back_from_a_runs_header() -> None:
    config = AgentConfig(
        "json", grounder="a/b", loops="warn", query_policy="mobiagent", decision_seconds=2.5
    )
    assert AgentConfig.from_log("json", config.to_log()) == config
    assert config.to_log()["manners"] == "mobiagent"
    assert config.to_log()["loops"] == "tell"
    assert AgentConfig().to_log() == {}
    assert AgentConfig.from_log("qwen3-vl", None) == AgentConfig("qwen3-vl")
    assert (
        AgentConfig.from_log("json", None, played=True).history == "last:10"
    )  # before it was named
    assert AgentConfig.from_log("json", {"history": "full"}, played=True) == AgentConfig()
    with pytest.raises(PlanError, match="'wings'"):
        AgentConfig.from_log("json", {"wings": 2})


def test_the_configuration_of_a_machine_is_never_sent_to_another() -> None:
    host = HostConfig({"OPENAI_API_KEY": KEY})
    assert KEY not in repr(host)
    with pytest.raises(TypeError, match="stays on its machine"):
        pickle.dumps(host)


def test_a_named_server_replaces_the_hosts_and_an_empty_one_does_not() -> None:
    host = HostConfig({"TAPWRIGHT_BASE_URL": "http://a/v1", "OPENAI_API_KEY": KEY})
    assert host.with_models(ModelOptions()).server().url == "http://a/v1"
    other = host.with_models(ModelOptions("http://b/v1")).server()
    assert (other.url, host.secret(OPENAI_KEY, other)) == ("http://b/v1", KEY)


def test_an_engine_is_local_unless_it_has_workers() -> None:
    assert not Engine().is_remote
    assert Engine(workers=1).is_remote
