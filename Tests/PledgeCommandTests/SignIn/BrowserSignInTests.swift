import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeServer

/// Tests of signing in with a browser and OAuth2. The sandbox has the service's page.
extension SignInTests {
    /// The page and the environment with which the tool started a browser.
    private typealias Started = (page: String, environment: String)

    /// Makes a program that stands in for a browser. The closure waits until the tool has started the program, and
    /// returns what the tool started it with.
    private func browser() throws -> (path: String, started: @Sendable () async -> Started) {
        let name = "browser-\(UUID())"
        let path = try folder.program(name, #"{ printf '%s\n' "$*"; env; } > "$0-" && mv "$0-" "$0.sent""#)
        return (
            path,
            { [folder] in
                await Wait.until { folder.has("\(name).sent") }
                let lines = folder.text("\(name).sent").split(separator: "\n", maxSplits: 1).map(String.init)
                return (lines.first ?? "", lines.last ?? "")
            }
        )
    }

    private func command(_ more: [String] = [], to redirect: String = "http://127.0.0.1:0/back") -> [String] {
        ["login", "--client-id", sandboxes.exist.clientID, "--redirect", redirect] + more
    }

    private func environment(_ browser: String) -> [String: String] {
        sandboxes.environment.adding(home).adding([
            "EXIST_CLIENT_SECRET": sandboxes.exist.clientSecret, "BROWSER": browser,
        ])
    }

    private func startLogin(
        _ command: [String], _ more: [String: String] = [:]
    ) async throws -> (login: ToolRun, browser: Started) {
        let browser = try browser()
        let login = try ToolRun(command, environment(browser.path).adding(more))
        return (login, await browser.started())
    }

    /// Starts a sign-in, and follows it to the service's page. Returns the page's address, and the redirect and the
    /// state that the address contains.
    private func begin(
        _ command: [String]
    ) async throws -> (login: ToolRun, page: String, redirect: String, state: String) {
        let (login, browser) = try await startLogin(command)
        let page = try await servicePage(browser)
        let items = URLComponents(string: page)?.queryItems ?? []
        let values = ["redirect_uri", "state"].map { name in items.first { $0.name == name }?.value }
        return (login, page, try #require(values[0]), try #require(values[1]))
    }

    private func signIn(_ more: [String] = []) async throws {
        let (login, browser) = try await startLogin(command(more))
        try await visit(browser.page)
        await login.end(0)
    }

    /// Requests a page without following redirects.
    private func request(_ address: String, over transport: StandardTransport = .shared) async throws -> RawResponse {
        try await transport.send(OutgoingRequest(url: try #require(URL(string: address)), timeout: 600)).value
    }

    /// Returns the address of the service's page, to which the tool's own page redirects the browser.
    private func servicePage(_ browser: Started) async throws -> String {
        let response = try await request(browser.page)
        return try #require(response.headers["Location"], "\(response.status)")
    }

    /// Requests a page and follows redirects, as a browser does.
    @discardableResult
    private func visit(_ address: String) async throws -> (status: Int, page: String) {
        var response = try await request(address)
        while let next = response.headers["Location"] {
            // Browsers write the scheme and the host in lowercase.
            response = try await request(next.replacing("HTTP://LOCALHOST:", with: "http://localhost:"))
        }
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    @Test(
        "If the redirect doesn't lead to the tool, you sign in by pasting the address that the browser then shows",
        arguments: ["https://localhost/back", "http://[::1]:9/back"])
    func elsewhere(redirect: String) async throws {
        let (browser, input) = (try browser(), Pipe())
        let login = try ToolRun(
            command(to: redirect), environment(browser.path), from: input.fileHandleForReading)
        let started = await browser.started()
        let page = try await servicePage(started)
        let location = try #require(try await request(page).headers["Location"])
        #expect(location.hasPrefix("\(redirect)?"))
        let state = try #require(page.firstMatch(of: #/[?&]state=([^&]+)/#)).1
        for text in [started.page, started.environment] { #expect(!text.contains(state)) }
        try input.fileHandleForWriting.write(contentsOf: Data("\(location)\n".utf8))
        await login.end(0, saying: "Signed in to Exist as maya")
        try await profile()
    }

    @Test(
        "The browser opens the service's page and returns with a code; the tool gets tokens for it and stores them",
        arguments: ["http://127.0.0.1:0/back", "HTTP://LOCALHOST:0/back"])
    func oauth(redirect: String) async throws {
        let (login, browser) = try await startLogin(command(to: redirect))
        let page = try await visit(browser.page)
        let outcome = await login.end(0, saying: "Signed in to Exist as maya")
        #expect(page.status == 200 && page.page.contains("Signed in") && folder.mode(file) == 0o600)
        let (used, status) = (try await profile(), try await Tool.run("status --json", home))
        #expect(status.output.contains("\"valid_until\":\"2"))
        let shown = outcome.errors + outcome.output + used + status.output + status.errors + page.page
        let secrets = tokens + [sandboxes.exist.clientSecret]
        #expect(secrets.count == 3 && !secrets.contains { shown.contains($0) })
    }

    @Test("The browser starts with a URL of the tool itself; the browser's process gets neither state nor secret")
    func started() async throws {
        let (login, browser) = try await startLogin(
            command(), ["EXIST_TOKEN": "s3cr3t-exist", "MYDATAHELPS_TOKEN": "s3cr3t-participant", "LANG": "C"])
        #expect(browser.page.hasPrefix("http://127.0.0.1:") && browser.environment.contains("LANG=C\n"))
        #expect(!browser.environment.contains("s3cr3t") && !browser.environment.contains(sandboxes.exist.clientSecret))
        let address = try await servicePage(browser)
        let state = try #require(address.firstMatch(of: #/[?&]state=([^&]+)/#)).1
        #expect(try await visit(address).status == 200)
        let errors = await login.end(0).errors
        for text in [browser.page, browser.environment, errors] { #expect(!text.contains(state)) }
    }

    @Test(
        "If the page that the browser opens is requested twice, the sign-in fails, because a stranger may have seen it"
    )
    func openedTwice() async throws {
        let (login, browser) = try await startLogin(command())
        #expect(try await request(browser.page).status == 303)
        let second = try await request(browser.page)
        #expect(second.status == 410 && second.headers["Location"] == nil)
        await login.end(1, saying: "opened twice")
        #expect(!folder.has(file))
    }

    @Test("A redirect to localhost reaches the tool over IPv4 and IPv6, so no other program can listen there", .ipv6)
    func loopbacks() async throws {
        let (login, page, redirect, _) = try await begin(command(to: "http://localhost:0/back"))
        for host in ["127.0.0.1", "[::1]"] {
            // On Linux, URLSession can't reach IPv6 addresses, so curl is used.
            let address = redirect.replacing("localhost", with: host) + "?code=1&state=2"
            #expect(try await request(address, over: StandardTransport(.curl)).status == 400)
        }
        #expect(try await visit(page).status == 200)
        await login.end(0)
    }

    @Test("The tool rejects redirects with a wrong state, and continues to wait")
    func forged() async throws {
        let (login, page, redirect, _) = try await begin(command())
        for guess in 0..<9 { #expect(try await visit(redirect + "?code=stolen&state=guessed\(guess)").status == 400) }
        let client = try RawClient(try #require(URL(string: redirect)))
        #expect(try client.ask("GET /back HTTP/1.1\r\nHost: [\r\n\r\n")?.status == 400)
        #expect(try await visit(page).status == 200)
        await login.end(0)
        #expect(!sandboxes.server.requests.contains { $0.formValue("code") == "stolen" })
    }

    @Test("If the service denies access, the sign-in fails and nothing is stored")
    func denied() async throws {
        sandboxes.server.script.next(
            matching: "/oauth2/access_token",
            respond: .json(
                ["error": "invalid_grant", "error_description": "It is unknown, or another client's."], status: 400))
        let (login, _, redirect, state) = try await begin(command())
        try await visit("\(redirect)?error=access_denied&state=\(state)")
        await login.end(1, saying: "access_denied")
        #expect(!folder.has(file))
    }

    @Test(
        "A refused client, a refused secret, or a taken port is reported in one line before the service's page is used")
    func refusedAtOnce() async throws {
        let (exist, environment) = (sandboxes.exist, environment(try browser().path))
        let unknown = ["login", "--client-id", "unknown-client", "--redirect", "http://127.0.0.1:0/back"]
        let taken = command(to: "http://127.0.0.1:\(sandboxes.server.baseURL.port ?? 0)/")
        for (command, secret, words) in [
            (unknown, exist.clientSecret, "refused the client unknown-client"),
            (command(), "wrong-secret", "refused the client \(exist.clientID)"),
            (taken, exist.clientSecret, "pass --redirect with another URI"),
        ] {
            let login = try await Tool.run(
                command, environment.adding(["EXIST_CLIENT_SECRET": secret]), exits: 1, saying: words)
            #expect(login.errors.split(separator: "\n").count == 1 && !login.errors.contains(secret))
        }
        #expect(!sandboxes.server.requests.contains { $0.path == "/oauth2/authorize" })
    }

    @Test("If the browser doesn't return within five minutes, the sign-in fails")
    func waits() async throws {
        let (clock, browser) = (ManualTimekeeper(start: TestClock.noon), try browser())
        let login = try ToolRun(command(), environment(browser.path), clock: clock.timekeeper)
        _ = await browser.started()
        await Wait.until { clock.alarmCount > 0 }
        #expect(clock.requested.contains(300))
        clock.advance(by: 300)
        await login.end(1, saying: "The browser did not return in time")
    }

    @Test("The client that `pledge sandbox` prints can be used for a sign-in in the browser")
    func printedClient() async throws {
        let sandbox = try SandboxRun()
        let client = sandbox.ready.client
        let (login, browser) = try await startLogin(
            ["login", "--client-id", try #require(client["id"]), "--redirect", "http://127.0.0.1:0/"],
            ["EXIST_BASE_URL": "\(sandbox.ready.exist)", "EXIST_CLIENT_SECRET": try #require(client["secret"])])
        try await visit(browser.page)
        await login.end(0)
        #expect(try await profile().contains("maya"))
        try await sandbox.end()
    }

    @Test("A stored account is replaced by a different account only with --yes")
    func otherAccount() async throws {
        sandboxes.exist.addToken("token-of-work", username: "maya at work")
        try await paste("token-of-work")
        let before = folder.text(file)
        let (login, browser) = try await startLogin(command())
        try await visit(browser.page)
        await login.end(1, saying: "as maya", "maya at work", "--yes")
        try await paste(sandboxes.exist.token, exits: 1, saying: "as maya", "maya at work", "--yes")
        #expect(folder.text(file) == before)
        // The same account needs no confirmation. A different account is stored with --yes.
        try await paste("token-of-work")
        try await signIn(["--yes"])
        #expect(try await profile().contains("\"maya\""))
    }

    @Test(
        "In a terminal, the browser's account is stored only after the user has confirmed its name",
        arguments: [true, false])
    func confirmed(agrees: Bool) async throws {
        let browser = try browser()
        let (command, environment) = (command(), environment(browser.path))
        async let login = ToolTerminal.run(
            command, environment, typed: agrees ? "y\n" : "\n", after: "[y/N]", exits: agrees ? 0 : 1)
        try await visit(browser.started().page)
        #expect(try await login.screen.contains("as maya. Store this account? [y/N] \(agrees ? "y" : "")\n"))
        #expect(folder.has(file) == agrees)
        // The same account needs no further confirmation.
        if agrees { try await signIn() }
    }

    @Test("An expired token is renewed only once, even if several commands and batches need it")
    func renewal() async throws {
        try await signIn()
        let (before, old) = (folder.text(file), tokens)
        for token in old { sandboxes.exist.expireToken(token) }
        try folder.file("config/pledge/.pledge-1.tmp", holding: before)
        sandboxes.server.resetRequests()
        let base = sandboxes.server.baseURL.absoluteString
        let line = #"{"service":"exist","account":"maya","address":"\#(base)","token":{"profile":"default"}}"# + "\n"
        let (profile, export) = (["profile"], ["export", "--sections", "profile"])
        let runs: [any RunningTool] = [
            try ToolProcess(profile, home), try ToolProcess(export, home, input: line),
            try ToolRun(profile, home, clock: .live), try ToolRun(profile, home, clock: .live),
            try ToolRun(export, home, input: line, clock: .live), try ToolRun(export, home, input: line, clock: .live),
        ]
        for run in runs { await run.end(0) }
        #expect(sandboxes.server.requests.count { $0.path == "/oauth2/access_token" } == 1)
        let after = folder.text(file)
        #expect(after != before && !old.contains { after.contains($0) } && folder.mode(file) == 0o600)
        #expect(!folder.has("config/pledge/.pledge-1.tmp"), "A killed command may have left a token.")
    }

    @Test("A sync that is interrupted while a token is renewed ends only after the new tokens are stored")
    func interruptedRenewal() async throws {
        try await signIn()
        let old = tokens
        for token in old { sandboxes.exist.expireToken(token) }
        let started = Locked<ToolRun?>(nil)
        sandboxes.server.script.next(matching: "POST /oauth2/access_token") { _ in
            var sync: ToolRun?
            while sync == nil { sync = started.withLock { $0 } }
            sync?.interrupt()
            while sync?.errors.contains("Waiting for new tokens") == false { sched_yield() }
            return nil
        }
        let sync = try ToolRun(["sync", folder.path("a.db")], home, clock: .live)
        started.withLock { $0 = sync }
        await sync.end(130)
        #expect(!old.contains { folder.text(file).contains($0) }, "The old tokens are revoked.")
    }

    @Test("The tool doesn't request a new token if it wouldn't be able to store the token", .notRoot)
    func unwritable() async throws {
        try await signIn()
        for token in tokens { sandboxes.exist.expireToken(token) }
        chmod(folder.path("config/pledge"), 0o500)
        sandboxes.server.resetRequests()
        try await profile(exits: 1)
        #expect(!sandboxes.server.requests.contains { $0.path == "/oauth2/access_token" })
        chmod(folder.path("config/pledge"), 0o700)
    }
}
