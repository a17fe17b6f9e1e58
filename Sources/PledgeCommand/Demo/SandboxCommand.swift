import ExistKit
import Foundation
import Pledge
import PledgeBatch
import PledgeFiles
import PledgeSandbox

/// `pledge sandbox`: serves both services on this machine until the user interrupts it.
enum SandboxCommand {
    static let port = Option.number(
        "--port", "N", 0...65_535, "the port to listen on (default chosen by the system)")
    static let listen = Option.text(
        "--listen", "HOST", "an address or a name of this machine",
        "the address at which other machines reach the sandbox, such as 0.0.0.0 or a container's name; the sandbox "
            + "then has new tokens at each start (default only this machine)")
    static let accounts = Option.number(
        "--accounts", "N", 1...1_000_000, "the number of accounts of each service", defaultValue: "1")
    static let accountsFile = Option.file(
        "--accounts-file",
        "write the accounts to a file for “pledge export”: odd numbers for Exist, even for MyDataHelps. "
            + "FILE is accessible only to you (mode 600)")
    static let latency = Option.number(
        "--latency", "MS", 0...600_000, "the delay before each response, in milliseconds", defaultValue: "0")
    static let limit = Option.number(
        "--limit", "N", 1...1_000_000_000,
        "requests per hour for each token (default unlimited for Exist, 500 for MyDataHelps)")
    static let faults = Option<FaultMix>.value(
        "--faults", "SHARES", "shares such as 503=0.02",
        "the faults to inject, by share of the requests, such as 503=0.02,drop=0.01; all=0.05 for every kind: "
            + FaultMix.kinds.map(\.key).joined(separator: " ")
    ) { try FaultMix($0) }

    static let command = Command(
        name: "sandbox", summary: "imitate both services on this machine, for testing other programs",
        part: .machines, options: [port, listen, accounts, accountsFile, latency, limit, faults],
        examples: [
            "pledge sandbox --port 4711": "always on the same port",
            "pledge sandbox --accounts 1000 --accounts-file accounts.jsonl": "for “pledge export accounts.jsonl”",
        ],
        notes: [
            .init(
                title: "OPERATION",
                text: """
                    Serves until it is interrupted, or until its standard input ends if that is a pipe. When ready,
                    it prints the base URLs as one line of JSON on standard output:
                    {"accounts":2,"exist":"http://127.0.0.1:4711/","mydatahelps":…,…}
                    All accounts share one person's data. Account N, counted from 1, has the tokens exist-N and participant-N.
                    The line also has a client for “pledge login” in a browser, where the sandbox consents at once: set
                    EXIST_BASE_URL to the line's “exist” and EXIST_CLIENT_SECRET to the client's “secret”, and pass the
                    client's “id” as --client-id. The line's service account is for programs that list the participants
                    of a project; any RSA key works.
                    With --listen, every token and secret ends in a key that is new at each start. The line includes this key.
                    Anyone who has one token knows the key, and so all other tokens. Programs on other machines must set
                    PLEDGE_PLAIN_HTTP_HOSTS to the name by which they reach the sandbox.
                    """)
        ]
    ) { arguments in
        try run(arguments)
        return .success
    }

    private static func run(_ arguments: Arguments) throws {
        let count = try arguments.value(accounts)
        let host = arguments[listen]?.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        guard host != "" else { throw UsageError("--listen needs a host.") }
        let key = host == nil ? "" : "-" + ExistOAuth.SignIn.randomState()
        let sandboxes = Sandboxes(accounts: count, key: key, now: arguments.context.clock.now)
        if let limit = arguments[limit] {
            sandboxes.exist.rateLimit = limit
            sandboxes.participants.rateLimit = limit
        }
        let server = try server(of: sandboxes, at: host, arguments)
        // Each connection uses a file descriptor.
        OpenFiles.raiseLimit()
        let over = DispatchSemaphore(value: 0)
        let interrupts = Interrupts(arguments.terminal.signals) { over.signal() }
        defer { interrupts.end() }
        do {
            try server.start()
        } catch {
            throw Failure("\(error)")
        }
        let address = address(of: server, at: host, arguments.terminal)
        if let file = arguments[accountsFile] { try WholeFile(file).write(sandboxes.accountLines(at: address)) }
        try arguments.terminal.write(sandboxes.readyLine(at: address))
        if isPipe(arguments.terminal.input) { signal(over, whenInputEnds: arguments.terminal.input) }
        over.wait()
        server.stop()
    }

    private static func server(
        of sandboxes: Sandboxes, at host: String?, _ arguments: Arguments
    ) throws -> LoopbackServer {
        let server = LoopbackServer(
            routes: sandboxes.exist.routes + sandboxes.participants.routes, port: UInt16(arguments[port] ?? 0),
            logLimit: 0, host: host ?? "127.0.0.1")
        server.script.latency = Double(try arguments.value(latency)) / 1000
        if let faults = arguments[faults] {
            let random = Locked(SplitMix64(state: 1))
            server.script.next(.max) { request in
                faults.fault(at: random.withLock { Double.random(in: 0..<1, using: &$0) })?.value(request)
            }
        }
        return server
    }

    /// Returns the base URL by which clients reach the sandbox.
    private static func address(of server: LoopbackServer, at host: String?, _ terminal: Terminal) -> String {
        let listening = server.address ?? ""
        if let host, listening.hasPrefix("127.") || listening == "::1" {
            terminal.notify("Only this machine can reach the sandbox: “\(host)” is its address \(listening).")
        }
        // If the sandbox listens on all of this machine's addresses, other machines reach it by this machine's name.
        guard ["0.0.0.0", "::"].contains(listening) else { return server.baseURL.absoluteString }
        return "http://\(ProcessInfo.processInfo.hostName):\(server.baseURL.port ?? 0)/"
    }

    /// Signals a semaphore when standard input ends. It ends when the parent process ends, and the sandbox should then
    /// stop, too.
    private static func signal(_ over: DispatchSemaphore, whenInputEnds descriptor: Int32) {
        // `readLine()` isn't used here, because it would lock standard input while it waits. Newer versions of glibc
        // wait for that lock when the process exits.
        let input = dup(descriptor)
        Thread.detachNewThread {
            let input = FileHandle(fileDescriptor: input, closeOnDealloc: true)
            while let bytes = try? input.read(upToCount: 512), !bytes.isEmpty {}
            over.signal()
        }
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}

/// The sandboxes of both services, with their accounts.
private struct Sandboxes {
    let exist: ExistSandbox
    let participants: MyDataHelpsSandbox
    private let count: Int
    /// The end of every token and secret.
    private let key: String

    init(accounts count: Int, key: String, now: @escaping @Sendable () -> Date) {
        self.count = count
        self.key = key
        exist = ExistSandbox(now: now, key: key)
        participants = MyDataHelpsSandbox(now: now, key: key)
        for number in 1...count {
            exist.addToken("exist-\(number)\(key)", username: "user-\(number)")
            participants.addToken("participant-\(number)\(key)")
        }
    }

    /// Returns the line of JSON that tells other programs how to reach the sandboxes.
    func readyLine(at address: String) -> String {
        var json = JSONText()
        json.object { json in
            json.field("accounts", count)
            json.field("exist", address)
            json.field("mydatahelps", address)
            json.object("serviceAccount") { json in
                json.field("name", participants.serviceAccount)
                json.field("project", participants.projectID)
            }
            json.object("tokens") { json in
                json.field("exist", "exist-N\(key)")
                json.field("mydatahelps", "participant-N\(key)")
            }
            json.object("client") { json in
                json.field("id", exist.clientID)
                json.field("secret", exist.clientSecret)
            }
        }
        json.endLine()
        return json.text
    }

    /// Returns one line for each account. Each line includes the sandbox's address, so that no other server ever
    /// receives the sandbox's tokens.
    func accountLines(at address: String) -> String {
        var json = JSONText()
        for number in 1...count {
            let (service, token) = number.isMultiple(of: 2) ? ("mydatahelps", "participant") : ("exist", "exist")
            json.object { json in
                json.field("service", service)
                json.field("account", "a\(number)")
                json.field("token", "\(token)-\(number)\(key)")
                json.field("address", address)
            }
            json.endLine()
        }
        return json.text
    }
}

/// The shares of requests that fail, by kind of fault. In `503=0.02,drop=0.01`, two kinds have a share each. In
/// `all=0.05`, the share is divided equally among all kinds.
struct FaultMix: Sendable {
    typealias Kinds = KeyValuePairs<String, @Sendable (ServerRequest) -> ServerResponse>

    /// The kinds of faults, each with the response that it sends. The article "When things go wrong" has a table of
    /// what each kind leads to.
    static let kinds: Kinds = [
        "401": { _ in refusal(401) },
        "403": { _ in refusal(403) },
        "404": { _ in refusal(404) },
        "409": { _ in refusal(409) },
        "429": { _ in refusal(429, ["Retry-After": "1"]) },
        "429-bare": { _ in .empty(429) },
        "500": { _ in refusal(500) },
        "502": { _ in response("<html>Bad gateway</html>", 502, ["Content-Type": "text/html"]) },
        "503": { _ in refusal(503, ["Retry-After": "1"]) },
        "html": { _ in response("<!doctype html><title>Welcome</title>", 200, ["Content-Type": "text/html"]) },
        "empty": { _ in .empty(200) },
        "cut": { _ in response(#"{"results": [{"name": "ste"#, 200) },
        "other": { _ in response("[]", 200) },
        "redirect": { _ in .empty(307, headers: ["Location": "https://elsewhere.example/"]) },
        "circle": { .empty(301, headers: ["Location": $0.target]) },
        "drop": { _ in .drop },
    ]

    private static func refusal(_ status: Int, _ headers: ServerHeaders = [:]) -> ServerResponse {
        response(#"{"detail": "A fault of the sandbox."}"#, status, headers)
    }

    private static func response(_ text: String, _ status: Int, _ headers: ServerHeaders = [:]) -> ServerResponse {
        var response = ServerResponse(status: status, headers: headers, body: Data(text.utf8))
        if headers["Content-Type"] == nil { response.headers["Content-Type"] = "application/json" }
        return response
    }

    private(set) var shares: [(kind: Kinds.Element, share: Double)] = []

    init(_ text: String) throws {
        for item in text.split(separator: ",") {
            let parts = item.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let share = Double(parts[1]), 0...1 ~= share else {
                throw UsageError("--faults takes shares such as 503=0.02,drop=0.01, not “\(item)”.")
            }
            let kinds = Self.kinds.filter { parts[0] == "all" || parts[0] == $0.key }
            guard !kinds.isEmpty else {
                let known = Self.kinds.map(\.key).joined(separator: ", ")
                throw UsageError("There is no fault “\(parts[0])”. Choose from these: all, \(known).")
            }
            shares += kinds.map { ($0, share / Double(kinds.count)) }
        }
        guard shares.reduce(0, { $0 + $1.share }) <= 1.000_001 else {
            throw UsageError("The shares of --faults add up to more than 1.")
        }
    }

    /// Returns the fault of a request, chosen by a random number from 0 to 1. Returns nil if the request should
    /// succeed.
    func fault(at number: Double) -> Kinds.Element? {
        var rest = number
        return shares.first { share in
            defer { rest -= share.share }
            return rest < share.share
        }?.kind
    }
}
