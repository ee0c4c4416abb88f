"""`env CLASSPATH=JAR app_process / CLASS ...`: Java programs; of those there is scrcpy's server."""

from tapwright_adb_simulator.scrcpy import ScrcpyServer, UnknownOption, version_of
from tapwright_adb_simulator.shell import ProgramCall
from tapwright_adb_simulator.storage import FileProblem

_SERVER = "com.genymobile.scrcpy.Server"


async def env(call: ProgramCall) -> int:
    """Run scrcpy's server until the client goes, as far as the jar on the class path is one."""
    words = list(call.arguments)
    jar = words.pop(0).removeprefix("CLASSPATH=") if words else ""
    if words[:2] != ["app_process", "/"] or len(words) < 4:
        return await call.fail("env: only app_process is here\n", 127)
    name, version, *options = words[2:]
    try:
        there = version_of(call.system.storage.read(jar))
    except FileProblem:
        there = ""
    if name != _SERVER or not there:
        return await call.fail(f"Error: Could not find class '{name}'\nAborted\n", 134)
    if version != there:
        return await call.fail(
            f"The server version ({there}) does not match the client ({version})\n"
        )
    try:
        server = ScrcpyServer(call.system, options)
    except UnknownOption as problem:
        return await call.fail(f"{problem}\n")
    call.system.services[server.name] = server.serve
    try:
        await call.stream.gone.wait()
    finally:
        del call.system.services[server.name]
        server.end()
    return 0
