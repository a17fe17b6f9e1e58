"""Checks what code completion offers in a chain.

Run this script from the package's folder, after `swift build`. It needs Swift with its language server, and Python. With
--list, it also prints what is offered.

After a dot, completion must offer only names that a user may want. No name may begin with an underscore. No two entries may look
alike, unless one of them is deprecated, because editors show deprecated entries after all others.
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

PROMISE = """asVoid cancel catch cauterize compactMap done ensure ensureThen error get isFulfilled isPending isRejected
    isResolved map mapError onMain pipe recover result settled shared tap then timeout value wait waitOrExit"""
LIST = "compactMapValues filterValues firstValue flatMapValues lastValue mapValues sortedValues thenFlatMap thenMap"
# The members of the view `OnMain`: the operators of a promise, and the members that return to a promise.
NO_OPERATORS = "asVoid cancel error isFulfilled isPending isRejected isResolved onMain pipe result settled shared timeout value wait waitOrExit"
VIEW = " ".join({*PROMISE.split()} - {*NO_OPERATORS.split()} | {"promise", "self"})
VIEW_LIST = " ".join({*LIST.split()} - {*"firstValue flatMapValues lastValue sortedValues thenFlatMap".split()})
# Members that come from Swift's own protocols.
STANDARD = "customMirror debugDescription description hash hashValue self"
SYMBOLS = pathlib.Path("Tests/RepositoryTests/PublicSymbols/ExistKit.txt").read_text()
LISTS = " ".join({*re.findall(r"^ExistQuery\.(\w+)\(.*: static func", SYMBOLS, re.MULTILINE)})
# The modules to import, the text that is typed, and the names that must be offered; None if the names are not compared.
CASES = [
    (["Pledge"], "(promise: Promise<Int>) { promise.", f"{PROMISE} {STANDARD}"),
    (["Pledge"], "(promise: Promise<Void>) { promise.", f"{PROMISE} {STANDARD} finally"),
    (["Pledge"], "(promise: Promise<[Int]>) { promise.", f"{PROMISE} {STANDARD} {LIST}"),
    (["Pledge"], "(guarantee: Guarantee<Int>) { guarantee.", f"{PROMISE} {STANDARD}".replace("hashValue ", "").replace("hash ", "")),
    (["Pledge"], "(promise: Promise<Int>) { promise.onMain.", VIEW),
    (["Pledge"], "(promise: Promise<Void>) { promise.onMain.", f"{VIEW} finally"),
    (["Pledge"], "(promise: Promise<[Int]>) { promise.onMain.", f"{VIEW} {VIEW_LIST}"),
    (["Pledge"], "(guarantee: Guarantee<Int>) { guarantee.onMain.", f"{VIEW} guarantee"),
    (["Pledge"], "() -> Promise<Int> { return .", None),
    # With `PledgePromiseKit`, entries may look alike: each of them makes the call that this module prefers.
    (["PledgePromiseKit"], "(promise: Promise<Int>) { promise.", f"{PROMISE} {STANDARD} async"),
    (["Pledge", "ExistKit"], "(existAPI: ExistAPI) { existAPI.", None),
    (["Pledge", "ExistKit"], "(existAPI: ExistAPI) { existAPI.user().", f"{PROMISE} {STANDARD}"),
    # The last three names are members of the type itself, which Swift always offers after all lists.
    (["Pledge", "ExistKit"], "(existAPI: ExistAPI) { existAPI.all(.", f"{LISTS} Page itemCount page"),
    (["Pledge", "MyDataHelpsKit"], "(session: ParticipantSession) { session.", None),
    (["Pledge", "MyDataHelpsKit"], "(session: ParticipantSession) { session.getParticipantInfo().", f"{PROMISE} {STANDARD}"),
]


class Server:
    """The language server. It exchanges JSON messages, each with a header, over its standard input and output."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["sourcekit-lsp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # Ends the server after an hour, because it then hangs.
        self.limit = threading.Timer(3600, self.process.kill)
        self.limit.daemon = True
        self.limit.start()
        self.requests = 0
        self.call("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            sys.exit("The language server ended.")
        return json.loads(self.process.stdout.read(length))

    def call(self, method, parameters):
        self.requests += 1
        self.send({"id": self.requests, "method": method, "params": parameters})
        while True:
            message = self.receive()
            if "method" not in message and message.get("id") == self.requests:
                return message.get("result")
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.limit.cancel()
        self.process.kill()
        self.process.wait()


def completions(server, file, text):
    """Returns the entries that are offered at the end of the text, in the order in which editors show them."""
    document = {"uri": file.as_uri()}
    opened = {**document, "languageId": "swift", "version": 1, "text": text + "\n}\n"}
    server.send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
    lines = text.split("\n")
    position = {"line": len(lines) - 1, "character": len(lines[-1])}
    # Tries again after an empty answer: there is always something to offer, but a busy server may give up a request.
    for _ in range(20):
        answer = server.call("textDocument/completion", {"textDocument": document, "position": position})
        if answer and answer["items"]:
            return sorted(answer["items"], key=lambda item: item.get("sortText", ""))
    sys.exit(f"Nothing is offered after {text}")


def problems(modules, items, expected):
    # Entries look alike if an editor shows them in the same group with the same label and type. Labels with braces, such as
    # `ensure { code }`, are left out, because both forms of `ensure` have that label.
    labels = collections.Counter(
        (item["sortText"].split("-")[0], item["label"], item.get("detail")) for item in items if "{" not in item["label"])
    names = {item["label"].split("(")[0].split(" ")[0] for item in items}
    yield from (f"offers {name}" for name in names if name.startswith("_"))
    if "PledgePromiseKit" not in modules:
        yield from (f"offers {label} -> {detail} {count} times" for (_, label, detail), count in labels.items() if count > 1)
    if expected is not None:
        wanted = set(expected.split())
        yield from (f"offers {name}, which is not listed" for name in names - wanted if not name.startswith("_"))
        yield from (f"does not offer {name}" for name in wanted - names)


def main():
    if not shutil.which("sourcekit-lsp"):
        return print("Without sourcekit-lsp, what completion offers is not checked.")
    products = pathlib.Path(subprocess.check_output(["swift", "build", "--show-bin-path"], text=True).strip())
    flags = ["-swift-version", "6", "-parse-as-library", "-I", str(products / "Modules")]
    for map in products.glob("Pledge*.build/module.modulemap"):
        flags += ["-Xcc", f"-fmodule-map-file={map}"]
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        files = [folder / f"Case{number}.swift" for number in range(len(CASES))]
        commands = [
            {"directory": str(folder), "file": str(file), "arguments": ["swiftc", *flags, str(file)]} for file in files]
        (folder / "compile_commands.json").write_text(json.dumps(commands))
        (folder / ".sourcekit-lsp").mkdir()
        options = {"backgroundIndexing": False, "sourcekitdRequestTimeout": 3600, "completion": {"maxResults": 1000}}
        (folder / ".sourcekit-lsp" / "config.json").write_text(json.dumps(options))
        with Server(folder) as server:
            for file, (modules, typed, expected) in zip(files, CASES):
                text = "".join(f"{'@_spi(PromiseKit) ' * (module == 'PledgePromiseKit')}import {module}\n" for module in modules) + f"func use{typed}"
                file.write_text(text)
                items = completions(server, file, text)
                failures += [f"With {modules[-1]}, use{typed} {problem}." for problem in problems(modules, items, expected)]
                if "--list" in sys.argv:
                    print(f"\n{modules[-1]}: {typed}")
                    for item in items:
                        print(f"    {item['label']} -> {item.get('detail')}")
    print(f"{len(CASES)} places in a chain, at which completion offers only what a user may want.")
    if failures:
        sys.exit("\n".join(failures))


main()
