"""Who decides. To add one: a file here, and a line in the table."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.agents.agent import AgentFactory

agents: "Registry[AgentFactory]" = Registry(
    "agents",
    "agent",
    {
        "random": "tapwright.agents.random:RandomAgent.for_task",
        "script": "tapwright.agents.script:ScriptAgent.for_task",
        "tree": "tapwright.agents.tree:TreeAgent.for_task",
    },
    "tapwright.agents.agent:AgentFactory",
)
get = agents.get
