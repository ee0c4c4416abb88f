"""Who decides. To add one: a file here, and a line in the table."""

from tapwright.agents.agent import AgentFactory
from tapwright.registry import Registry

agents: Registry[AgentFactory] = Registry(
    "agents",
    "agent",
    {
        "model": "tapwright.agents.model:ModelAgent.for_task",
        "random": "tapwright.agents.random:RandomAgent.for_task",
        "script": "tapwright.agents.script:ScriptAgent.for_task",
        "tree": "tapwright.agents.tree:TreeAgent.for_task",
    },
)
get = agents.get
