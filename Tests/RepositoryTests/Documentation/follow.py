#!/usr/bin/env python3
"""Follows the README from top to bottom: runs each block of commands word for word, without a network.

Run this script in the package's folder. It needs Linux, `ip`, and either root or user namespaces. It moves to a network namespace
that has only 127.0.0.1 and ::1, and uses an empty home folder. It fails if a command fails, or if anything tries to reach another
address, even to look up a name. It leaves out blocks with this mark:

    <!-- elsewhere -->   commands for another machine, or commands that were already run as a part of others

With --in-ci, `swift test` does nothing, because the tests have just passed, and the release build is the one of `.ci/run`.
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
    """Runs this script again without a network, and with a name server that cannot be reached."""
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
    """Returns how often the kernel found no route, for connections and for look-ups of names."""
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
    # With a route to a network, requests to other addresses would not be counted.
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
