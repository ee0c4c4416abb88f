"""Devices with tasks as an environment of OpenEnv (https://github.com/huggingface/OpenEnv)."""
