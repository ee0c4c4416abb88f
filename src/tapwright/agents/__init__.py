"""Who decides. To add one: a file here, and a line in the table."""

from tapwright.agents.agent import AgentFactory
from tapwright.plugins.registry import Registry

agents: Registry[AgentFactory] = Registry(
    "agents",
    "agent",
    {
        "random": "tapwright.agents.random:RandomAgent.for_task",
        "script": "tapwright.agents.script:ScriptAgent.for_task",
        "tree": "tapwright.agents.tree:TreeAgent.for_task",
    },
    AgentFactory,
)
get = agents.get
