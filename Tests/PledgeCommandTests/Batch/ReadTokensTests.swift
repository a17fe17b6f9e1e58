import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeFiles
import PledgeHTTP
import PledgeHistory
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

@Suite("Getting and replacing the tokens of accounts", .serialized)
final class ReadTokensTests: ToolSuite {
    init() throws {
        try super.init(isEmpty: true)
        sandboxes.participants.rateLimit = 100_000
        for number in 1...4 { _ = sandboxes.line(number) }
    }

    /// Syncs these lines into `study.db`.
    ///
    /// - Returns: The kind of each account's error, by the account's name; nil for an account without an error.
    private func sync(_ lines: String..., environment: [String: String] = [:]) async throws -> [String: String?] {
        let run = try ToolRun(
            ["sync", accounts(lines.map { $0 + "\n" }.joined()), "--database", folder.path("study.db"), "--quiet"],
            sandboxes.environment.adding(environment))
        #expect([0, 2].contains(await run.end()), "\(run.errors)")
        let history = try History(reading: folder.path("study.db"))
        let runs = try history.query("SELECT name, kind FROM account JOIN sync_run ON account = account.id").rows
        return Dictionary(runs.map { ($0[0].text ?? "", $0[1].text) }) { $1 }
    }

    private func line(_ service: String, _ name: String, _ token: String) -> String {
        #"{"service":"\#(service)","account":"\#(name)","token":\#(token)}"#
    }

    /// Expires a token at the next request for a path, so that this request is refused, and then calls `act`.
    private func end(_ token: String, at path: String, _ act: @escaping @Sendable () -> Void = {}) {
        sandboxes.server.script.next(matching: path) { [sandboxes] _ in
            sandboxes.exist.expireToken(token)
            sandboxes.participants.expireToken(token)
            act()
            return nil
        }
    }

    private func tokens(_ origin: TokenOrigin) -> any TokenSource {
        origin.makeTokens(
            { MyDataHelpsClient() }, sandboxes.server.baseURL, ExistAPI.defaultOptions.with { $0.timeout = 600 }
        ).tokens
    }

    private func sent(_ token: String) -> Int {
        sandboxes.server.requests.count { $0.headers["Authorization"]?.hasSuffix(" " + token) == true }
    }

    @Test("If a token is refused, its file is read again")
    func twice() async throws {
        let file = try folder.file("token", holding: "unknown-token-1").path
        let tokens = tokens(.secret(StoredSecret("token", inFile: file)))
        #expect(try await tokens.token().value == "unknown-token-1")
        try folder.file("token", holding: "unknown-token-2")
        #expect(try await tokens.token().value == "unknown-token-1")
        #expect(try await tokens.token(replacing: "unknown-token-1").value == "unknown-token-2")
        #expect(try await tokens.token(replacing: "unknown-token-1").value == "unknown-token-2")
        #expect(try await tokens.token(replacing: "unknown-token-2").value == "unknown-token-2")
        try folder.file("token", holding: "unknown-token-3")
        #expect(try await tokens.token(replacing: "unknown-token-2").value == "unknown-token-3")
    }

    @Test("A token command runs in the tool's environment, without a shell or input; a missing command is an error")
    func surroundings() async throws {
        let shell = #"["/bin/sh","-c","cat; echo noise >&2; printf %s \"$VAULT\""]"#
        let kinds = try await sync(
            line("exist", "e", #"{"command":\#(shell)}"#), line("exist", "literal", #"{"command":["echo","$VAULT"]}"#),
            line("exist", "missing", #"{"command":["/nowhere/vault"]}"#), environment: ["VAULT": "secret-exist-1"])
        #expect(kinds == ["e": nil, "literal": "unauthorized", "missing": "noToken"])
        #expect(sent("$VAULT") == 1)
    }

    @Test("A line can use a profile's current token only if line and profile agree on the server and the kind of token")
    func profile() async throws {
        let environment = ["XDG_CONFIG_HOME": folder.path("config")]
        let profiles = try #require(ProfileStore(environment))
        @Sendable func store(_ token: String, as name: String, of address: URL) throws {
            try profiles.update(name) { profile in
                profile.mydatahelps = ParticipantCredential(address: address, participant: "p", token: token)
                profile.exist = ExistCredential(
                    address: address, username: "e", kind: .simple, token: ExistToken(accessToken: "secret-exist-1"))
            }
        }
        // The address without the slash at its end, as a person may have written it.
        let plain = try #require(URL(string: String(sandboxes.server.baseURL.absoluteString.dropLast())))
        try store("secret-participant-2", as: "study", of: plain)
        try store("secret-participant-2", as: "elsewhere", of: try #require(URL(string: "https://example.com")))
        sandboxes.participants.addToken("renewed-participant-2", of: "participant-2")
        end("secret-participant-2", at: "GET /api/v1/delegated/surveytasks") { [sandboxes] in
            try? store("renewed-participant-2", as: "study", of: sandboxes.server.baseURL)
        }
        let kinds = try await sync(
            line("mydatahelps", "p", #"{"profile":"study"}"#), line("mydatahelps", "q", #"{"profile":"elsewhere"}"#),
            line("exist", "other", #"{"profile":"study"}"#), line("exist", "missing", #"{"profile":"nobody"}"#),
            environment: environment)
        #expect(kinds == ["p": nil, "q": "noToken", "other": "noToken", "missing": "noToken"])
        // The profile's Exist token was created with a password, and requests send such a token differently. So a line
        // that doesn't say `"kind":"simple"` must not use it.
        #expect(sent("secret-exist-1") == 0)
        #expect(sent("renewed-participant-2") > 0)
    }

    /// Returns the line of an account with a token file. When the account's averages are requested, the token expires
    /// and the file gets the other token.
    private func replace(_ token: String, by other: String) throws -> String {
        try folder.file("token", holding: token)
        end(token, at: "GET /api/2/averages") { [folder] in _ = try? folder.file("token", holding: other) }
        return line("exist", "e", #"{"file":"\#(folder.path("token"))"}"#)
    }

    @Test("If a token's file gets another person's token, neither a sync nor an export keeps that person's data")
    func otherPerson() async throws {
        #expect(try await sync(try replace("secret-exist-1", by: "secret-exist-3")) == ["e": "identity"])
        #expect(sent("secret-exist-3") == 1)
        let file = try accounts(try replace("secret-exist-3", by: "secret-exist-1"))
        sandboxes.exist.addToken("secret-exist-1", username: "user of a1")
        for sections in ["profile,averages,insights", "averages,insights"] {
            try folder.file("token", holding: "secret-exist-3")
            sandboxes.exist.addToken("secret-exist-3", username: "user of a3")
            end("secret-exist-3", at: "GET /api/2/averages") { [folder] in
                _ = try? folder.file("token", holding: "secret-exist-1")
            }
            let line = try #require(await export([file, "--sections", sections], exits: 2).results.first)
            #expect(line.errorKind == "identity", "\(line.json)")
            #expect("\(line.json)".contains("belongs to another person"))
        }
    }

    @Test("A profile's expired token is renewed over the run's own transport, so --verbose shows the renewal")
    func renewal() async throws {
        let exist = sandboxes.exist
        let environment = ["XDG_CONFIG_HOME": folder.path("config")]
        try #require(ProfileStore(environment)).update("study") { profile in
            profile.exist = ExistCredential(
                address: sandboxes.server.baseURL, username: exist.username, kind: .bearer,
                token: ExistToken(accessToken: exist.token, refreshToken: exist.refreshToken, expiresAt: .distantPast),
                app: ExistCredential.App(
                    clientID: exist.clientID, clientSecret: exist.clientSecret, redirectURI: "http://localhost/"))
        }
        let file = try accounts(line("exist", "e", #"{"profile":"study"}"#) + "\n")
        try await export(
            [file, "--sections", "profile", "--verbose"], environment, saying: "POST", "oauth2/access_token")
    }

    @Test("If another person signs in to the profile during a report, the report fails and doesn't use the new token")
    func reportOfAnother() async throws {
        let environment = ["XDG_CONFIG_HOME": folder.path("config"), "PATH": "/usr/bin:/bin"]
        let profiles = try #require(ProfileStore(environment))
        let address = sandboxes.server.baseURL
        @Sendable func store(_ token: String, _ person: String) throws {
            try profiles.update("default") { profile in
                profile.exist = ExistCredential(
                    address: address, username: person, kind: .bearer, token: ExistToken(accessToken: token))
            }
        }
        sandboxes.exist.addToken("secret-exist-1", username: "user of a1")
        try store("secret-exist-1", "user of a1")
        end("secret-exist-1", at: "GET /api/2/averages") { try? store("secret-exist-3", "user of a3") }
        let run = try await Tool.run(["report"], environment, exits: 1)
        #expect(run.output.isEmpty && run.errors.contains("Sign in again"), "\(run.errors)")
        #expect(sent("secret-exist-1") > 0 && sent("secret-exist-3") == 0)
    }

    @Test("If a profile gets another account during a run, the new account's token is not sent")
    func otherAccount() async throws {
        let environment = ["XDG_CONFIG_HOME": folder.path("config")]
        let profiles = try #require(ProfileStore(environment))
        let (here, app) = (
            sandboxes.server.baseURL,
            ExistCredential.App(clientID: "a", clientSecret: "b", redirectURI: "http://localhost/")
        )
        @Sendable func store(_ token: String, _ person: String, at address: URL, renewable: Bool) throws {
            try profiles.update("study") { profile in
                let token = ExistToken(accessToken: token, refreshToken: renewable ? "refresh-\(token)" : nil)
                profile.exist = ExistCredential(
                    address: address, username: person, kind: .bearer, token: token, app: renewable ? app : nil)
            }
        }
        let elsewhere = try #require(URL(string: "http://127.0.0.1:9/"))
        for renewable in [true, false] {
            for (person, address) in [("user of a1", elsewhere), ("user of a3", here)] {
                sandboxes.exist.addToken("secret-exist-1", username: "user of a1")
                try store("secret-exist-1", "user of a1", at: here, renewable: renewable)
                end("secret-exist-1", at: "GET /api/2/averages") {
                    try? store("secret-exist-3", person, at: address, renewable: renewable)
                }
                let kinds = try await sync(line("exist", "e", #"{"profile":"study"}"#), environment: environment)
                #expect(kinds == ["e": "noToken"], "\(person) at \(address)")
            }
        }
        #expect(sent("secret-exist-3") == 0)
        #expect(!sandboxes.server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("refresh-") })
    }

    @Test(
        "If a token command fails or is slow, the error says so without the command's output or arguments",
        arguments: [
            ("echo hush; exit 3", 600, "ended with exit code 3"), ("kill -13 $$", 600, "was terminated by signal 13"),
            ("", 600, "printed nothing"),
            ("head -c 16385 /dev/zero | tr '\\0' h", 600, "printed a text that is longer than any token"),
            ("sleep 60 & sleep 60", 0.01, "printed no token within 0 s"),
        ])
    func failures(script: String, seconds: Double, problem: String) async throws {
        let command = try #require(TokenCommand(["/bin/sh", "-c", script, "hush"], [:], seconds: seconds))
        let outcome = await tokens(.command(command)).token().settled().value
        #expect(throws: NoToken.self) { try outcome.get() }
        #expect("\(outcome)".contains("the command /bin/sh \(problem)") && !"\(outcome)".contains("hush"), "\(outcome)")
    }

    @Test("A child process that the tool no longer waits for is killed and leaves no zombie")
    func noZombie() throws {
        let child = try ChildProcess(["/bin/sh", "-c", "printf %10d $$; exec sleep 3600"], [:])
        let text = String(decoding: try #require(child.read(atMost: 10, until: .now() + 3600)), as: UTF8.self)
        let id = try #require(pid_t(text.trimmingCharacters(in: .whitespaces)))
        #expect(child.exit(until: .now()) == nil && kill(id, 0) == 0)
        child.end()
        #expect(kill(id, 0) == -1 && errno == ESRCH)
    }

    @Test("A background process that a token command has started continues after the command ends")
    func background() async throws {
        let (fifo, script) = (folder.path("fifo"), "mkfifo $0; { read line < $0; } > /dev/null &")
        let command = try #require(TokenCommand(["/bin/sh", "-c", script, fifo], ["PATH": "/usr/bin:/bin"]))
        #expect(try command.output(of: Data()).isEmpty)
        await Wait.until { close(open(fifo, O_WRONLY | O_NONBLOCK)) == 0 }
    }

    @Test("A hundred token commands, half of them missing, work with a limit of 60 open files")
    func descriptors() async throws {
        let lines = (0..<100).map { number in
            let words = [["/bin/sh", "/none"][number % 2], "-c", "echo hum >&2; echo secret-exist-1"]
            return line("exist", "e\(number)", #"{"command":\#(words)}"#) + "\n"
        }
        sandboxes.server.script.next(.max) { _ in .empty(403) }
        let command = ["export", try accounts(lines.joined()), "--in-flight", "28", "--sections", "profile"]
        let tool = try ToolProcess(command, sandboxes.environment, after: "ulimit -n 60")
        let errors = await tool.end(2, saying: "50 forbidden, 50 noToken").errors
        #expect(!errors.contains("hum"))
    }

    @Test(
        "Printing or dumping an account shows no token, no arguments of its token command, and no environment",
        arguments: [#""hush""#, #"{"command":["vault","hush"]}"#])
    func secrecy(token: String) throws {
        let account = try AccountLine(Array(line("exist", "e", token).utf8), environment: ["TOKEN": "hush"])
        let shown = printed(account) + printed(tokens(account.token))
        #expect(!shown.contains("hush") && shown.contains("FetchedTokens"))
    }

    @Test(
        "An account continues with its file's new token; an error hides every token that a service's message repeats")
    func hidden() async throws {
        sandboxes.exist.addToken("renewed-exist-1", username: "user of a1")
        let line = try replace("secret-exist-1", by: "renewed-exist-1")
        sandboxes.server.script.next(.max, matching: "GET /api/2/correlations") { request in
            .json(["detail": .string("Not with " + (request.headers["Authorization"] ?? ""))], status: 400)
        }
        _ = try await sync(line)
        let history = try History(reading: folder.path("study.db"))
        let error = try #require(history.query("SELECT error FROM sync_run").rows.first?.first?.text)
        #expect(error.contains("correlation") && error.contains("…") && !error.contains("secret"), "\(error)")
        #expect(sent("renewed-exist-1") > 0)
    }

    @Test("An attribute whose name equals the token is stored, but no note or warning contains the name")
    func namedLikeToken() async throws {
        let token = sandboxes.exist.token
        sandboxes.exist.addAttribute(token)
        sandboxes.exist.setValue(7, of: token, on: TestClock.today.description)
        @Sendable func undated(_ json: ServerJSON) -> ServerJSON {
            switch json {
            case .object(let members):
                .object(members.reduce(into: [:]) { $0[$1.key] = $1.key == "date" ? "soon" : undated($1.value) })
            case .array(let items): .array(items.map(undated))
            default: json
            }
        }
        sandboxes.rewrite { request, json in request.path.hasPrefix("/api/2/attributes/") ? undated(json) : json }
        let sync = try await run(["sync", folder.path("own.db")], exits: 4, saying: "Exist: …")
        let history = try History(reading: folder.path("own.db"))
        #expect(try history.query("SELECT name FROM attribute").rows == [[.text(token)]])
        let errors = try history.query("SELECT error FROM sync_run WHERE error NOTNULL").rows
        let error = try #require(errors.first)[0].text ?? ""
        let listed = try await run(["attributes", "--json"], exits: 4, saying: "In …, item 0")
        let line = #"{"service":"exist","account":"e","token":"\#(token)"}"#
        let export = try await export([try accounts(line)], exits: 4)
        let left = (export.output.json["unreadable"] as? [String])?.joined() ?? ""
        #expect(left.contains("In "))
        for text in [sync.errors, sync.output, error, listed.errors, export.errors, left] {
            #expect(!text.contains(token), "\(text)")
        }
    }

    @Test("A file of accounts, a token, or certificates is refused if other users may write to it")
    func writableByOthers() async throws {
        try folder.file("token", holding: "secret-exist-1")
        let file = try accounts(line("exist", "e", #"{"file":"\#(folder.path("token"))"}"#))
        for (name, code) in [("accounts.jsonl", 1), ("token", 2)] as [(String, Int32)] {
            try #require(chmod(folder.path(name), 0o602) == 0)
            let run = try await export([file, "--sections", "profile"], exits: code)
            #expect((run.errors + run.output).contains("\(name) may be written by others (mode 602)"))
            #expect(sandboxes.server.requests.isEmpty)
            try #require(chmod(folder.path(name), 0o600) == 0)
        }
        try await export([file, "--sections", "profile"])
        try #require(chmod(folder.path("token"), 0o666) == 0)
        try await Tool.run(
            "profile", sandboxes.environment.adding(["EXIST_TOKEN_FILE": folder.path("token")]), exits: 64,
            saying: "token may be written by others")
        try folder.file("ca.pem", holding: "")
        try #require(chmod(folder.path("ca.pem"), 0o666) == 0)
        let environment = sandboxes.environment.adding(["EXIST_TOKEN": "unknown"])
        try await Tool.run(
            ["profile", "--ca-file", folder.path("ca.pem")], environment, exits: 64,
            saying: "ca.pem may be written by others (mode 666)")
        for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
            try await Tool.run(
                "profile", environment.adding([name: folder.path("ca.pem")]), exits: 64,
                saying: "ca.pem may be written by others")
        }
    }

    /// A folder with a private key. All tests share the key, because making one takes long.
    static let made = Result {
        let folder = try TemporaryFolder()
        try openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder.path("key"))
        return folder
    }

    private var key: String { get throws { try Self.made.get().path("key") } }

    @discardableResult
    private static func openssl(_ words: String..., input: Data = Data()) throws -> String {
        let command = try #require(TokenCommand(["openssl"] + words, [:], seconds: 600))
        return String(decoding: try command.output(of: input), as: UTF8.self)
    }

    private func serviceAccount(_ name: String, key: String, participant: String) -> String {
        line(
            "mydatahelps", name,
            #"{"serviceAccount":{"name":"\#(sandboxes.participants.serviceAccount)","key":{"file":"\#(key)"},"#
                + #""project":"\#(sandboxes.participants.projectID)","participant":"\#(participant)"}}"#)
    }

    @Test("When a participant's token expires, the service account issues a new one; the requests for it are counted")
    func issued() async throws {
        let person = sandboxes.participants.participantIdentifier
        end("eyJhbGciOiJSUzI1NiJ9.participant.2", at: "GET /api/v1/delegated/surveytasks")
        let kinds = try await sync(serviceAccount("p", key: try key, participant: person))
        #expect(kinds == ["p": nil])
        #expect(sent("eyJhbGciOiJSUzI1NiJ9.participant.2") > 0 && sent("eyJhbGciOiJSUzI1NiJ9.participant.3") > 0)
        #expect(sandboxes.server.requests.count { $0.method == "POST" } == 3)
        let history = try History(reading: folder.path("study.db"))
        let counted = try history.query("SELECT requests FROM sync_run").rows
        #expect(counted == [[.integer(sandboxes.server.requests.count)]], "\(sandboxes.server.requests.map(\.method))")
    }

    @Test("`pledge participants` lists and searches a project's participants, and writes accounts that can be synced")
    func participants() async throws {
        let (name, project) = (sandboxes.participants.serviceAccount, sandboxes.participants.projectID)
        let words = ["participants", "--service-account", name, "--key", try key, "--project", project]
        func rows(_ more: String...) async throws -> [Substring] {
            try await Tool.run(words + more, sandboxes.environment).output.split(whereSeparator: \.isNewline)
        }
        let all = try await rows()
        #expect(all.first == "identifier\tname\temail\tenrolled\tadded\tid" && all.count > 200)
        let one = try #require(all.last).prefix { $0 != "\t" }
        let found = try await rows("--search", String(one))
        #expect(found.count > 1 && found.count < all.count)
        #expect(try await rows("--segment", project).count == 1)
        for form in ["--json", "--jsonl", "--csv", "--plain"] { #expect(try await rows(form) != all) }
        try await Tool.run(words + ["--verbose"], sandboxes.environment, saying: "> GET ")
        let lines = try await rows("--accounts")
        try await Tool.run(words + ["--accounts"], sandboxes.environment, saying: "20 participants left out")
        #expect(lines.count == all.count { $0.contains("\ttrue\t") } && lines.count < all.count - 1)
        let kinds = try await sync(String(lines[0]), String(lines[1]))
        #expect(kinds.count == 2 && kinds.values.allSatisfy { $0 == nil }, "\(kinds)")
        try await Tool.run(Array(words.dropLast(2)), exits: 64, saying: "--project")
        try await Tool.run(words + ["--accounts", "--json"], exits: 64, saying: "lines of its own")
    }

    /// Makes the service list these participants, at most `cap` on a page, and announce this total, which may be wrong.
    private func participants(_ ids: [Int], atMost cap: Int, announcing total: Int) {
        sandboxes.server.script.next(.max, matching: "GET /api/v1/administration/projects/") { request in
            let size = min(cap, request.queryValue("pageSize").flatMap { Int($0) } ?? 100)
            let number = request.queryValue("pageNumber").flatMap { Int($0) } ?? 0
            let page = ids.dropFirst(number * size).prefix(size).map {
                #"{"id":"i\#($0)","participantIdentifier":"P\#($0)","demographics":{},"enrolled":true}"#
            }
            return .text(#"{"participants":[\#(page.joined(separator: ","))],"totalParticipants":\#(total)}"#)
        }
    }

    @Test(
        "With any page size, each participant is listed once; missing and repeated participants are reported",
        arguments: [[], ["--accounts"]])
    func oddPages(form: [String]) async throws {
        let (name, project) = (sandboxes.participants.serviceAccount, sandboxes.participants.projectID)
        let words = ["participants", "--service-account", name, "--key", try key, "--project", project] + form
        let (all, heading) = (Array(0..<250), form.isEmpty ? 1 : 0)
        func lines(
            _ ids: [Int], atMost cap: Int, of total: Int, exits code: Int32 = 0, saying told: String = ""
        )
            async throws -> Int
        {
            sandboxes.server.script.reset()
            participants(ids, atMost: cap, announcing: total)
            let outcome = try await Tool.run(words, sandboxes.environment, exits: code)
            #expect(told.isEmpty ? outcome.errors.isEmpty || !form.isEmpty : outcome.errors.contains(told))
            return outcome.output.split(whereSeparator: \.isNewline).count - heading
        }
        for cap in [200, 100, 50, 1] { #expect(try await lines(all, atMost: cap, of: 250) == 250, "\(cap) on a page") }
        #expect(
            try await lines(all, atMost: 100, of: 260, exits: 4, saying: "announces 260 items") == 250)
        #expect(
            try await lines([7] + all, atMost: 100, of: 251, exits: 4, saying: "1 participant was listed twice") == 250)
    }

    @Test("If the service refuses a service account, the error names the account, and not a participant's token")
    func refusedServiceAccount() async throws {
        let (name, project) = (sandboxes.participants.serviceAccount, sandboxes.participants.projectID)
        let words = ["participants", "--service-account", name, "--key", try key, "--project", project]
        for (request, status, advice) in [
            ("POST /identityserver/connect/token", 401, "whether the key is the one"),
            ("GET /api/v1/administration/projects/", 403, "has access to the project"),
        ] {
            sandboxes.server.script.reset()
            sandboxes.server.script.next(.max, matching: request, respond: .json([:], status: status))
            let run = try await Tool.run(words, sandboxes.environment, exits: 1, saying: "\(status)", advice, name)
            #expect(!run.errors.contains("pledge login") && !run.errors.contains("MYDATAHELPS_TOKEN"), "\(run.errors)")
        }
    }

    @Test("An account whose key is unusable fails with noToken; an unknown participant fails with notFound")
    func notIssued() async throws {
        let person = sandboxes.participants.participantIdentifier
        let other = try folder.file("other", holding: "hush").path
        let kinds = try await sync(
            serviceAccount("keyless", key: "/nowhere/key", participant: person),
            serviceAccount("no key", key: other, participant: person),
            serviceAccount("nobody", key: try key, participant: "nobody"))
        #expect(kinds == ["keyless": "noToken", "no key": "noToken", "nobody": "notFound"])
    }

    @Test("A key in a file or a variable makes valid RS256 signatures, even if its lines are escaped or indented")
    func signature() throws {
        let (path, bytes) = (try key, Data("header.claims".utf8))
        let pem = try String(contentsOfFile: path, encoding: .utf8)
        let texts = [
            pem, pem.replacingOccurrences(of: "\n", with: "\\n"), pem.replacingOccurrences(of: "\n", with: "\n    "),
            "\"\(pem)\"",
        ]
        try Self.openssl("pkey", "-in", path, "-pubout", "-out", folder.path("public"))
        for key in [SigningKey(["file": path], [:])] + texts.map({ SigningKey(["env": "KEY"], ["KEY": $0]) }) {
            try #require(key).signature(of: bytes).write(to: folder.url.appendingPathComponent("signature"))
            let words = try Self.openssl(
                "dgst", "-sha256", "-verify", folder.path("public"), "-signature", folder.path("signature"),
                input: bytes)
            #expect(words == "Verified OK\n")
        }
    }

    private static let unusable = "cannot sign: openssl needs a whole RSA private key"

    @Test(
        "The error for a key that can't sign says why, and doesn't show the key",
        arguments: [
            ("", "is empty"), ("hush", unusable), ("encrypted", unusable), ("public", unusable), ("elliptic", unusable),
            ("edwards", unusable), ("cut", unusable),
        ])
    func unusableKey(kind: String, words: String) throws {
        let path = folder.path("made")
        switch kind {
        case "encrypted": try Self.openssl("pkcs8", "-topk8", "-in", key, "-passout", "pass:x", "-out", path)
        case "public": try Self.openssl("pkey", "-in", key, "-pubout", "-out", path)
        case "elliptic":
            try Self.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", path)
        case "edwards": try Self.openssl("genpkey", "-algorithm", "ED25519", "-out", path)
        case "cut":
            let text = try String(contentsOfFile: key, encoding: .utf8)
            try folder.file("made", holding: text.replacingOccurrences(of: text.prefix(400).suffix(200), with: ""))
        default: try folder.file("made", holding: kind)
        }
        let unusable = try #require(SigningKey(["file": path], [:]))
        let error = thrown(NoToken.self) { try unusable.signature(of: Data("a".utf8)) }
        #expect(error?.problem.hasPrefix("the key's file \(path) \(words)") == true)
        let secret =
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().first ?? "none"
        #expect(error.map { "\($0)".contains(secret) } == false)
    }
}
