import ExistKit
import Foundation
import PledgeHistory
import PledgeTestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import PledgeCommand
@testable import PledgeServer

@Suite("Signing in", .serialized)
struct SignInTests {
    let sandboxes: BothSandboxes
    let folder: TemporaryFolder

    init() throws {
        sandboxes = try BothSandboxes(isEmpty: true)
        folder = try TemporaryFolder()
    }

    /// A separate home folder, with nothing else that could be an account.
    private var home: [String: String] { ["XDG_CONFIG_HOME": folder.path("config")] }
    private var file: String { folder.path("config/pledge/default.json") }

    private func mode(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int ?? 0
    }

    /// Signs in with a token on standard input.
    private func paste(_ token: String, _ arguments: [String] = []) async throws -> (status: Int32, said: String) {
        let process = try ToolRun(
            ["login"] + arguments, sandboxes.environment.merging(home) { $1 }, input: token + "\n")
        return (await process.end(), process.output + process.errors)
    }

    /// Uses the sign-in: runs a command without an account in the environment.
    private func profile(_ arguments: [String] = []) async throws -> Tool.Outcome {
        try await Tool.run(["profile", "--no-demo", "--json"] + arguments, home)
    }

    @Test("A pasted token is tried, stored for its owner only, used by every command, and never shown")
    func pasted() async throws {
        let login = try await paste(sandboxes.exist.token)
        #expect(login.status == 0, "\(login.said)")
        #expect(login.said.contains("Signed in to Exist as maya"))
        #expect(mode(file) == 0o600 && mode(folder.path("config/pledge")) == 0o700)

        let used = try await profile()
        #expect(used.status == 0 && used.output.contains("\"maya\""), "\(used.errors)")
        let status = try await Tool.run(["status", "--json"], home)
        #expect(status.status == 0 && status.output.contains("\"origin\":\"profile default\""), "\(status.errors)")
        for text in [login.said, used.output, used.errors, status.output, status.errors] {
            #expect(!text.contains(sandboxes.exist.token))
        }
    }

    @Test("In a terminal, the tool asks for a token, and what is typed is not shown")
    func unseen() async throws {
        let token = sandboxes.exist.token
        let login = try await ToolTerminal.run(
            ["login"], sandboxes.environment.merging(home) { $1 }, typed: token + "\n",
            after: "Token of Exist (not displayed):")
        #expect(login.status == 0, "\(login.screen)")
        #expect(login.screen.contains("Token of Exist (not displayed):"))
        #expect(login.screen.hasPrefix("To get a token, open https://exist.io/account/apps/"))
        #expect(!login.screen.contains(token))
    }

    @Test("After an interrupt at the prompt, the terminal shows again what is typed")
    func interrupted() async throws {
        let login = try await ToolTerminal.start(
            ["login"], sandboxes.environment.merging(home) { $1 }, after: "(not displayed):",
            then: { kill($0, SIGINT) })
        #expect(login.status == 130 && login.echoes)
    }

    @Test("A token that does not work is not stored, and an empty one is an error")
    func refused() async throws {
        let bad = try await paste("s3cr3t-token")
        #expect(bad.status == 1 && bad.said.contains("401") && !bad.said.contains("s3cr3t"))
        #expect(bad.said.contains("Check that the whole token was pasted."))
        let none = try await paste("")
        #expect(none.status == 64)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("If a stored token is refused later, the error asks for another sign-in, to the same profile")
    func refusedLater() async throws {
        sandboxes.exist.addToken("token-of-work", username: "maya at work")
        #expect(try await paste("token-of-work", ["--profile", "work"]).status == 0)
        sandboxes.exist.expireToken("token-of-work")
        let refused = try await profile(["--profile", "work"])
        #expect(refused.errors.hasSuffix("Sign in again with “pledge login --profile work”.\n"), "\(refused.errors)")
        let status = try await Tool.run(["status"], home)
        #expect(status.status == 1 && status.output.contains("“pledge login --profile work”"))
    }

    @Test("There can be several profiles; one that is requested but does not exist is an error")
    func profiles() async throws {
        sandboxes.exist.addToken("token-of-work", username: "maya at work")
        #expect(try await paste(sandboxes.exist.token).status == 0)
        #expect(try await paste("token-of-work", ["--profile", "work"]).status == 0)
        #expect(try await paste(sandboxes.participants.token, ["--mydatahelps", "--profile", "work"]).status == 0)

        #expect(try await profile().output.contains("\"maya\""))
        #expect(try await profile(["--profile", "work"]).output.contains("\"maya at work\""))
        #expect(
            try await Tool.run(["profile", "--json"], home.merging(["PLEDGE_PROFILE": "work"]) { $1 }).output
                .contains("\"maya at work\""))
        #expect(try await profile(["--mydatahelps", "--profile", "work"]).status == 0)
        let unknown = try await profile(["--profile", "wrok"])
        #expect(unknown.status == 64 && unknown.errors.contains("Did you mean “work”?"))
        let status = try await Tool.run(["status", "--jsonl"], home)
        #expect(status.output.split(separator: "\n").count == 3)
    }

    @Test("`pledge sync` uses the sign-in, too, and the environment takes precedence")
    func sync() async throws {
        sandboxes.exist.addToken("token-of-work", username: "maya at work")
        #expect(try await paste(sandboxes.exist.token).status == 0)
        #expect(try await paste(sandboxes.participants.token, ["--mydatahelps"]).status == 0)
        #expect(try await paste("token-of-work", ["--profile", "work"]).status == 0)
        func accounts(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> [[SQLValue]] {
            let path = folder.path("\(UUID()).db")
            let run = try await Tool.run(
                ["sync", path, "--no-demo", "--quiet"] + arguments, home.merging(environment) { $1 })
            #expect(run.status == 0 && !run.errors.contains("token-of"), "\(run.errors)")
            return try History(reading: path).query("SELECT service, name FROM account ORDER BY service").rows
        }
        let participant: [SQLValue] = ["mydatahelps", .text(sandboxes.participants.participantIdentifier)]
        #expect(try await accounts([]) == [["exist", "maya"], participant])
        // A profile with one of the two services suffices, just as a token for one does.
        #expect(try await accounts(["--profile", "work"]) == [["exist", "maya at work"]])
        sandboxes.exist.addToken("token-of-the-environment", username: "someone else")
        let environment = [
            "EXIST_TOKEN": "token-of-the-environment", "EXIST_BASE_URL": sandboxes.server.baseURL.absoluteString,
        ]
        #expect(try await accounts([], environment) == [["exist", "someone else"], participant])

        let unknown = try await Tool.run(["sync", folder.path("a.db"), "--profile", "wrok"], home)
        #expect(unknown.status == 64 && unknown.errors.contains("Did you mean “work”?"), "\(unknown.errors)")
        let nobody = try await Tool.run(["sync", folder.path("a.db"), "--no-demo"])
        #expect(nobody.status == 64 && nobody.errors.contains("There is no account: set EXIST_TOKEN"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("a.db")))
    }

    @Test("The environment takes precedence over what is stored, and its address is only for its own token")
    func environmentWins() async throws {
        #expect(try await paste(sandboxes.exist.token).status == 0)
        sandboxes.exist.addToken("token-of-the-environment", username: "someone else")
        let environment = sandboxes.environment.merging(home) { $1 }
        let other = try await Tool.run(
            ["profile", "--json", "--profile", "default"],
            environment.merging(["EXIST_TOKEN": "token-of-the-environment"]) { $1 })
        #expect(other.output.contains("someone else"))
        #expect(other.errors.contains("takes precedence over the profile “default”"))

        // A stored token is sent to no address but its own.
        #expect(try await Tool.run(["profile", "--json"], environment).output.contains("\"maya\""))
        #expect(try await Tool.run(["sync", folder.path("own.db"), "--quiet", "--no-demo"], environment).status == 64)
        sandboxes.server.resetRequests()
        let elsewhere = "http://localhost:\(sandboxes.server.baseURL.port ?? 0)/"
        for arguments in [["profile"], ["sync", folder.path("lured.db")], ["report"]] {
            let lured = try await Tool.run(arguments, environment.merging(["EXIST_BASE_URL": elsewhere]) { $1 })
            #expect(lured.status == 64 && lured.errors.contains("EXIST_TOKEN is not"), "\(lured.errors)")
        }
        #expect(sandboxes.server.requests.isEmpty)
    }

    @Test("Logging out deletes what is stored")
    func logout() async throws {
        #expect(try await paste(sandboxes.exist.token).status == 0)
        #expect(try await paste(sandboxes.participants.token, ["--mydatahelps"]).status == 0)
        #expect(try await Tool.run(["logout", "--only", "exist"], home).status == 0)
        let again = try await Tool.run(["logout", "--only", "exist"], home)
        #expect(again.status == 64 && again.errors.contains("has no account of Exist."))
        #expect(try await profile().status == 64)
        #expect(try await profile(["--mydatahelps"]).status == 0)
        #expect(try await Tool.run(["logout"], home).status == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try await Tool.run(["logout"], home).status == 64)
        #expect(try await Tool.run(["status"], home).status == 1)
    }

    @Test("A file that others may read, or that is damaged, is an error with advice")
    func badFiles() async throws {
        #expect(try await paste(sandboxes.exist.token).status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let open = try await profile()
        #expect(open.status == 1 && open.errors.contains("chmod 600"))
        for text in [#"{"\uDEB4": 1}"#, "{\"a\n\": 1}", "{"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let damaged = try await profile()
            #expect(damaged.status == 1 && damaged.errors.contains("sign in again"))
        }

        // It hides no other profile, and can be removed.
        #expect(try await paste(sandboxes.exist.token, ["--profile", "good"]).status == 0)
        let status = try await Tool.run(["status", "--json"], home)
        #expect(status.status == 1 && status.output.contains("sign in again") && status.output.contains("\"works\""))
        #expect(try await Tool.run(["logout"], home).status == 0)
        #expect(try await Tool.run(["status", "--json"], home).status == 0)
    }

    @Test("An option without effect is an error before the tool asks for a token")
    func uselessOptions() async throws {
        for (options, use) in [
            (["--read-only"], "the browser"), (["--wait", "9"], "the browser"),
            (["--mydatahelps", "--token-kind", "simple"], "Exist"), (["--mydatahelps", "--read-only"], "Exist"),
            (["--client-id", "1", "--token-kind", "simple"], "a pasted token"),
        ] {
            // Asked for a token, it would find none.
            let login = try await paste("", options)
            #expect(login.status == 64 && login.said.contains(use), "\(login.said)")
        }
        #expect(try await Tool.run(["status", "--json"], home).output == "[]\n")
    }

    @Test("The error for a missing account names the command that helps")
    func nextStep() async throws {
        #expect(try await paste(sandboxes.exist.token, ["--profile", "study"]).status == 0)
        let missing = try await Tool.run(["surveys", "--profile", "study"], home)
        #expect(
            missing.errors.contains("run “pledge login --mydatahelps --profile study” to add one."), "\(missing.errors)"
        )
        #expect(!missing.errors.contains("Did you mean"))
        #expect(
            try await Tool.run(["surveys"], home).errors.onOneLine.contains(
                "To use your own account, run “pledge login --mydatahelps”."))
    }

    // MARK: OAuth2, with the sandbox's page

    /// What a browser was started with.
    private struct Started {
        var commandLine: String
        var environment: String
    }

    /// A browser that passes on what it was started with.
    private func browser() throws -> (path: String, started: @Sendable () async -> Started) {
        let pipe = folder.path("sent-\(UUID())")
        mkfifo(pipe, 0o600)
        let script = try folder.file(
            "browser-\(UUID())", holding: "#!/bin/sh\n{ printf '%s\\n' \"$*\"; env; } > '\(pipe)'\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
        return (
            script.path,
            {
                await withCheckedContinuation { continuation in
                    // Opening waits for the browser, so not on a thread of Swift's pool.
                    DispatchQueue.global().async {
                        // Opened once: a second opening would wait for a second browser.
                        let bytes = try? FileHandle(forReadingFrom: URL(fileURLWithPath: pipe)).readToEnd()
                        let lines = String(decoding: bytes ?? Data(), as: UTF8.self).split(
                            separator: "\n", maxSplits: 1)
                        continuation.resume(
                            returning: Started(
                                commandLine: String(lines.first ?? ""), environment: String(lines.last ?? "")))
                    }
                }
            }
        )
    }

    private func browserLogin(_ more: [String], to redirect: String = "http://127.0.0.1:0/back") -> [String] {
        ["login", "--client-id", sandboxes.exist.clientID, "--redirect", redirect] + more
    }

    private func browserEnvironment(_ browser: String) -> [String: String] {
        sandboxes.environment.merging(home) { $1 }.merging([
            "EXIST_CLIENT_SECRET": sandboxes.exist.clientSecret, "BROWSER": browser,
        ]) { $1 }
    }

    private func startBrowserLogin(
        _ more: [String] = [], to redirect: String = "http://127.0.0.1:0/back", _ environment: [String: String] = [:]
    ) async throws -> (process: ToolRun, browser: Started) {
        let browser = try browser()
        let process = try ToolRun(
            browserLogin(more, to: redirect), browserEnvironment(browser.path).merging(environment) { $1 })
        return (process, await browser.started())
    }

    /// Requests a page without following redirects.
    private func request(
        _ address: String, over transport: StandardTransport = .shared
    ) async throws -> HTTPReply {
        try await transport.send(OutgoingRequest(url: try #require(URL(string: address)))).value
    }

    /// Returns the service's page, to which the tool's own page redirects the browser.
    private func servicePage(_ browser: Started) async throws -> URL {
        let reply = try await request(browser.commandLine)
        return try #require(reply.headers["Location"].flatMap { URL(string: $0) }, "\(reply.status)")
    }

    private func beginBrowserLogin(
        _ more: [String] = [], to redirect: String = "http://127.0.0.1:0/back"
    ) async throws -> (ToolRun, address: URL) {
        let (process, browser) = try await startBrowserLogin(more, to: redirect)
        return (process, try await servicePage(browser))
    }

    private func queryValue(_ name: String, of address: URL) throws -> String {
        let items = URLComponents(url: address, resolvingAgainstBaseURL: true)?.queryItems ?? []
        return try #require(items.first { $0.name == name }?.value)
    }

    /// Follows redirects, as a browser does.
    private func visit(_ address: URL) async throws -> (status: Int, page: String) {
        try await withCheckedThrowingContinuation { continuation in
            URLSession.shared.dataTask(with: address) { data, response, error in
                if let error { return continuation.resume(throwing: error) }
                let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                continuation.resume(returning: (status, String(decoding: data ?? Data(), as: UTF8.self)))
            }.resume()
        }
    }

    @Test("The browser opens the service's page and returns, and the code it brings is exchanged and the tokens stored")
    func oauth() async throws {
        let (process, browser) = try await startBrowserLogin()
        let page = try await visit(try #require(URL(string: browser.commandLine)))
        #expect(page.status == 200 && page.page.contains("Signed in"))
        #expect(await process.end() == 0, "\(process.errors)")
        #expect(process.errors.contains("Signed in to Exist as maya"))
        #expect(mode(file) == 0o600)

        let used = try await profile()
        #expect(used.status == 0, "\(used.errors)")
        let stored = folder.text("config/pledge/default.json")
        let secrets = stored.components(separatedBy: "\"").filter { $0.count == 40 } + [sandboxes.exist.clientSecret]
        #expect(secrets.count == 3)
        let status = try await Tool.run(["status", "--json"], home)
        #expect(status.output.contains("\"valid_until\":\"2"))
        for text in [process.errors, process.output, used.output, status.output, status.errors, page.page] {
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }

    @Test(
        "The browser is started with a URL of the tool alone: neither the state nor a secret can be read from its process"
    )
    func started() async throws {
        let (process, browser) = try await startBrowserLogin(
            [], ["EXIST_TOKEN": "s3cr3t-exist", "MYDATAHELPS_TOKEN": "s3cr3t-participant", "LANG": "C"])
        #expect(browser.commandLine.hasPrefix("http://127.0.0.1:"))
        #expect(browser.environment.contains("LANG=C\n"))
        #expect(!browser.environment.contains("s3cr3t") && !browser.environment.contains(sandboxes.exist.clientSecret))

        let address = try await servicePage(browser)
        let state = try queryValue("state", of: address)
        #expect(try await visit(address).status == 200)
        #expect(await process.end() == 0, "\(process.errors)")
        for text in [browser.commandLine, browser.environment, process.errors] { #expect(!text.contains(state)) }
    }

    @Test(
        "A second request for the page that the browser opens ends the sign-in, since one of the two may be a stranger's"
    )
    func openedTwice() async throws {
        let (process, browser) = try await startBrowserLogin()
        _ = try await servicePage(browser)
        let second = try await request(browser.commandLine)
        #expect(second.status == 410 && second.headers["Location"] == nil)
        #expect(await process.end() == 1)
        #expect(process.errors.contains("opened twice"), "\(process.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("A redirect to localhost reaches the tool over IPv4 and IPv6, so that no one else can listen there", .ipv6)
    func loopbacks() async throws {
        let (process, address) = try await beginBrowserLogin(to: "http://localhost:0/back")
        let port = try #require(URL(string: try queryValue("redirect_uri", of: address))?.port)
        for host in ["127.0.0.1", "[::1]"] {
            // On Linux, URLSession reaches no IPv6 address.
            let reply = try await request("http://\(host):\(port)/back?code=1&state=2", over: StandardTransport(.curl))
            #expect(reply.status == 400)
        }
        #expect(try await visit(address).status == 200)
        #expect(await process.end() == 0, "\(process.errors)")
    }

    @Test("Redirects with another state are rejected and reported in one line, and the tool continues to wait")
    func forged() async throws {
        let (process, address) = try await beginBrowserLogin()
        let redirect = try queryValue("redirect_uri", of: address)
        for guess in 0..<9 {
            let forged = try await visit(try #require(URL(string: redirect + "?code=stolen&state=guessed\(guess)")))
            #expect(forged.status == 400)
        }
        #expect(try await visit(address).status == 200)
        #expect(await process.end() == 0, "\(process.errors)")
        #expect(process.errors.components(separatedBy: "ignored").count == 2, "\(process.errors)")
        #expect(!sandboxes.server.requests.contains { $0.formValue("code") == "stolen" })
    }

    @Test("A service that refuses ends the sign-in, and nothing is stored")
    func denied() async throws {
        let (process, address) = try await beginBrowserLogin()
        let (redirect, state) = (try queryValue("redirect_uri", of: address), try queryValue("state", of: address))
        _ = try await visit(try #require(URL(string: "\(redirect)?error=access_denied&state=\(state)")))
        #expect(await process.end() == 1)
        #expect(process.errors.contains("access_denied"))
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("A client or a secret that the service refuses is an error at once, without a browser")
    func refusedClient() async throws {
        let browser = try browser()
        for (id, secret) in [
            ("unknown-client", sandboxes.exist.clientSecret), (sandboxes.exist.clientID, "wrong-secret"),
        ] {
            let login = try await Tool.run(
                ["login", "--client-id", id, "--redirect", "http://127.0.0.1:0/back", "--wait", "86400"],
                browserEnvironment(browser.path).merging(["EXIST_CLIENT_SECRET": secret]) { $1 })
            #expect(login.status == 1 && login.errors.contains("refused the client \(id)"), "\(login.errors)")
            #expect(login.errors.split(separator: "\n").count == 1 && !login.errors.contains(secret))
        }
        #expect(!sandboxes.server.requests.contains { $0.path == "/oauth2/authorize" })
    }

    @Test("What `pledge sandbox` prints is enough to sign in with the browser")
    func printedClient() async throws {
        struct Ready: Decodable {
            var exist: URL
            var client: [String: String]
        }
        let (input, output) = (Pipe(), Pipe())
        let sandbox = try ToolRun(["sandbox"], from: input.fileHandleForReading, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        let ready = try JSONDecoder().decode(Ready.self, from: output.fileHandleForReading.availableData)
        let browser = try browser()
        let login = try ToolRun(
            ["login", "--client-id", try #require(ready.client["id"]), "--redirect", "http://127.0.0.1:0/"],
            home.merging([
                "EXIST_BASE_URL": ready.exist.absoluteString, "BROWSER": browser.path,
                "EXIST_CLIENT_SECRET": try #require(ready.client["secret"]),
            ]) { $1 })
        _ = try await visit(try #require(URL(string: await browser.started().commandLine)))
        #expect(await login.end() == 0, "\(login.errors)")
        #expect(try await profile().output.contains("maya"))
        try input.fileHandleForWriting.close()
        #expect(await sandbox.end() == 0)
    }

    @Test("A stored account is not replaced by another without a confirmation")
    func otherAccount() async throws {
        sandboxes.exist.addToken("token-of-work", username: "maya at work")
        #expect(try await paste("token-of-work").status == 0)
        let before = folder.text("config/pledge/default.json")
        let (process, address) = try await beginBrowserLogin()
        _ = try await visit(address)
        #expect(await process.end() == 1)
        let pasted = try await paste(sandboxes.exist.token)
        #expect(pasted.status == 1)
        for said in [process.errors, pasted.said] {
            #expect(said.contains("as maya") && said.contains("maya at work") && said.contains("--yes"), "\(said)")
        }
        #expect(folder.text("config/pledge/default.json") == before)

        // The same account is stored at once, and another with the option.
        #expect(try await paste("token-of-work").status == 0)
        let (confirmed, page) = try await beginBrowserLogin(["--yes"])
        _ = try await visit(page)
        #expect(await confirmed.end() == 0, "\(confirmed.errors)")
        #expect(try await profile().output.contains("\"maya\""))
    }

    @Test(
        "In a terminal, the account of the browser is stored once the user has confirmed its name",
        arguments: [true, false])
    func confirmed(agrees: Bool) async throws {
        let browser = try browser()
        async let login = ToolTerminal.run(
            browserLogin([]), browserEnvironment(browser.path), typed: agrees ? "y\n" : "\n", after: "[y/N]")
        _ = try await visit(try #require(URL(string: await browser.started().commandLine)))
        let outcome = try await login
        #expect(outcome.status == (agrees ? 0 : 1) && outcome.screen.contains("as maya"), "\(outcome.screen)")
        #expect(FileManager.default.fileExists(atPath: file) == agrees)
        guard agrees else { return }
        // Not again for the same account.
        let (again, address) = try await beginBrowserLogin()
        _ = try await visit(address)
        #expect(await again.end() == 0, "\(again.errors)")
    }

    @Test("An expired token is renewed in place, once, even if several commands and batches need it")
    func renewal() async throws {
        let (process, address) = try await beginBrowserLogin()
        _ = try await visit(address)
        #expect(await process.end() == 0)
        let before = folder.text("config/pledge/default.json")
        let tokens = before.components(separatedBy: "\"").filter { $0.count == 40 }
        for token in tokens { sandboxes.exist.expireToken(token) }
        sandboxes.server.resetRequests()

        let base = sandboxes.server.baseURL.absoluteString
        let line = #"{"service":"exist","account":"maya","address":"\#(base)","token":{"profile":"default"}}"#
        let export = ["export", "--sections", "profile"]
        let others = [
            try ToolProcess(["profile", "--no-demo"], home), try ToolProcess(export, home, input: line + "\n"),
        ]
        let here = try (0..<4).map { number in
            number < 2 ? try ToolRun(["profile", "--no-demo"], home) : try ToolRun(export, home, input: line + "\n")
        }
        for other in here { #expect(await other.end() == 0, "\(other.output)\(other.errors)") }
        for other in others { #expect(await other.end() == 0, "\(other.output)\(other.errors)") }
        #expect(sandboxes.server.requests.count { $0.path == "/oauth2/access_token" } == 1)
        let after = folder.text("config/pledge/default.json")
        #expect(after != before && tokens.allSatisfy { !after.contains($0) })
        #expect(mode(file) == 0o600)
    }

    @Test("If a new token could not be stored, it is not requested", .notRoot)
    func unwritable() async throws {
        let (process, address) = try await beginBrowserLogin()
        _ = try await visit(address)
        #expect(await process.end() == 0)
        for token in folder.text("config/pledge/default.json").components(separatedBy: "\"") where token.count == 40 {
            sandboxes.exist.expireToken(token)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path("config/pledge"))
        sandboxes.server.resetRequests()
        #expect(try await profile().status == 1)
        #expect(!sandboxes.server.requests.contains { $0.path == "/oauth2/access_token" })
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path("config/pledge"))
    }

    @Test("An app's secret and tokens appear in no description")
    func descriptions() {
        let app = ExistCredential.App(clientID: "id", clientSecret: "s3cr3t", redirectURI: "http://localhost/")
        let exist = ExistCredential(
            address: sandboxes.server.baseURL, username: "maya", kind: .bearer,
            token: ExistToken(accessToken: "s3cr3t", refreshToken: "s3cr3t"), app: app)
        let participant = ParticipantCredential(address: sandboxes.server.baseURL, participant: "p", token: "s3cr3t")
        let profile = Profile(exist: exist, mydatahelps: participant)
        for value in [app, exist, participant, profile] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains("s3cr3t"))
        }
    }
}
