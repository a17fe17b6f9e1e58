#!/usr/bin/env python3
"""Follows the README from top to bottom, pasting each block of commands as it stands, on a machine that reaches only itself.

Run it in the package's folder. It needs Linux and `ip`, and root or user namespaces: it moves to a network namespace that
has nothing but 127.0.0.1 and ::1, with an empty home folder, and fails if a command fails, or if anything asked another
address, even for a name. Of the marked blocks, it leaves out those with

    <!-- elsewhere -->   for another machine, or for a part of what was already run

With --in-ci, `swift test` does nothing, because the suite has just passed, and the release build is the one of `.ci/run`.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[3]
block = re.compile(r"^([^\n]*)\n```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def isolate():
    """Runs this script again where there is no network, and where names are asked of a server that nothing leads to."""
    if "PLEDGE_ISOLATED" in os.environ:
        return
    with tempfile.NamedTemporaryFile("w") as resolver:
        resolver.write("nameserver 192.0.2.1\n")
        resolver.flush()
        script = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"'
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        command = ["unshare", *user, "--net", "--mount", "sh", "-c", script, resolver.name, sys.executable, *sys.argv]
        sys.exit(subprocess.run(command, env=os.environ | {"PLEDGE_ISOLATED": "1"}).returncode)


def asked_elsewhere():
    """Returns how often the kernel found no route: for a connection as for a question about a name."""
    names, values = (line.split() for line in open("/proc/net/snmp") if line.startswith("Ip:"))
    version6 = [line.split()[1] for line in open("/proc/net/snmp6") if line.startswith("Ip6OutNoRoutes")]
    return int(dict(zip(names, values))["OutNoRoutes"]) + int(version6[0])


def networks():
    """Returns the network devices that this process can see."""
    return {line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]}


def untracked():
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    return set(subprocess.check_output(command, cwd=root, text=True).split("\0"))


def main():
    isolate()
    # Where there is a route, nothing would be counted.
    if networks() != {"lo"}:
        return f"not isolated: there are {networks()}"
    before = untracked()
    servers = []
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": f"{home}/.local/bin:{os.environ['PATH']}", "LANG": "C.UTF-8"}
        prelude = "set -euo pipefail\n"
        if "--in-ci" in sys.argv:
            prelude += (
                'swift() { case "$*" in test*) ;; "build -c release"*) command swift "$@" -Xswiftc -warnings-as-errors ;;'
                ' *) command swift "$@" ;; esac; }\n')
        try:
            for mark, commands in block.findall((root / "README.md").read_text()):
                if "elsewhere" in mark:
                    continue
                print(f"$ {commands.strip()}", flush=True)
                shell = ["bash", "-c", prelude + commands]
                if match := re.match(r"pledge sandbox .*--accounts-file (\S+)", commands):
                    servers.append(subprocess.Popen(shell, cwd=root, env=environment, stdin=subprocess.DEVNULL))
                    while not (root / match[1]).exists() and servers[-1].poll() is None:
                        time.sleep(0.1)
                    continue
                result = subprocess.run(shell, cwd=root, env=environment, stdin=subprocess.DEVNULL)
                if result.returncode:
                    return f"exit {result.returncode} of: {commands}"
                if asked_elsewhere():
                    return f"another address than this machine's was asked by: {commands}"
        finally:
            for server in servers:
                server.terminate()
                server.wait()
            for path in untracked() - before:
                (root / path).unlink()
    return asked_elsewhere()


sys.exit(main())
