"""Devices with tasks as Gymnasium environments: importing this registers them.

Gymnasium 1.x does not discover plug-ins, so `gymnasium.make` is given the module as well
(https://gymnasium.farama.org/api/registry/): `gymnasium.make("tapwright.gym:tapwright/Phone-v0")`.
"""

from gymnasium.envs.registration import register, registry

_ENVIRONMENTS = {
    "tapwright/Desktop-v0": "tapwright.gym.environments:DesktopEnv",
    "tapwright/MiniWoB-v0": "tapwright.gym.environments:MiniWobEnv",
    "tapwright/Phone-v0": "tapwright.gym.environments:PhoneEnv",
    "tapwright/Sites-v0": "tapwright.gym.environments:SitesEnv",
    "tapwright/Web-v0": "tapwright.gym.environments:WebEnv",
}

for _id, _entry_point in _ENVIRONMENTS.items():
    if _id not in registry:
        register(id=_id, entry_point=_entry_point)
