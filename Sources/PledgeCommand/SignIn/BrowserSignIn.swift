import ExistKit
import Foundation
import PledgeFiles
import PledgeHTTP
import PledgeServer

/// Signs in to Exist in the browser with OAuth2. At the end, the service redirects the browser to a server that this
/// process runs.
///
/// Other users of this machine can see the address that the browser opens, and they can send requests to the server.
/// Two measures keep them from taking over the sign-in:
///
/// - The browser opens a page of the server, which redirects to the service only once. A second request for that page
///   means that someone else has used it, so the sign-in fails.
/// - Another user may be the first to open the page, and sign in to an account of their own. Therefore, the user must
///   confirm the account's name before the account is stored.
struct BrowserSignIn: Sendable {
    static let secretName = "EXIST_CLIENT_SECRET"

    private let access: Access
    private let clientID: String
    private let secret: String
    private let address: URL
    private let wanted: URL
    private var host: String? { wanted.host?.lowercased() }
    private let state = Locked(State())

    private struct State {
        var signIn: ExistOAuth.SignIn?
        /// The number of requests for the page that redirects to the service.
        var openings = 0
    }

    init(_ access: Access, clientID: String) throws {
        self.access = access
        self.clientID = clientID
        address = try Access.Service.exist.address(access.environment)
        wanted = try access.arguments.value(LoginCommand.redirect)
        let given = access.environment[Self.secretName, default: ""]
        secret =
            given.isEmpty
            ? try access.terminal.ask(
                "Secret of the app \(clientID)",
                foundAt: "The client's secret is on its page at \(Access.Service.exist.tokenPage).")
            : given
    }

    func run() throws -> ExistCredential {
        try checkClient(oauth(redirectURI: wanted.absoluteString))
        let isHere = wanted.scheme?.lowercased() == "http" && ["127.0.0.1", "localhost"].contains(host)
        let (redirectURI, code) = try isHere ? redirected() : pasted()
        let token = try oauth(redirectURI: redirectURI).token(for: code).wait()
        let existAPI = ExistAPI(token: token.accessToken, baseURL: address, options: access.options(.exist))
        let username = try existAPI.user().wait().user.username
        guard state.withLock({ $0.openings < 2 }) else { throw Self.openedTwice }
        let app = ExistCredential.App(clientID: clientID, clientSecret: secret, redirectURI: redirectURI)
        return ExistCredential(address: address, username: username, kind: .bearer, token: token, app: app)
    }

    private var scopes: [ExistScope] {
        access.arguments[LoginCommand.readOnly] ? ExistScope.groups.map(ExistScope.read) : ExistScope.all
    }

    /// Signs in with a redirect URI that doesn't lead to this machine. The user is asked to paste the address to which
    /// the service redirected the browser.
    private func pasted() throws -> (redirectURI: String, code: String) {
        let begun = try oauth(redirectURI: wanted.absoluteString).signIn(scopes: scopes)
        state.withLock { $0.signIn = begun }
        access.terminal.notify("Approve access in the browser. If it does not open, open this URL:")
        access.terminal.notify(ErrorLine(begun.address.absoluteString))
        let start = ExistOAuth.SignIn.randomState()
        let server = LoopbackServer(routes: [ServerRoute("GET /\(start)") { _ in open() }], logLimit: 0)
        // If the server can't start, the user opens the URL that was just printed.
        if (try? server.start()) != nil {
            Browser.open(server.baseURL.appendingPathComponent(start), access.environment)
        }
        defer { server.stop() }
        let text = try access.terminal.ask("Address of the page that the browser then shows")
        guard let redirect = URL(string: text) else { throw UsageError("The pasted text is not a URL.") }
        return (wanted.absoluteString, try begun.code(from: redirect))
    }

    /// Signs in with a redirect URI that leads to this machine. Waits until the service redirects the browser to this
    /// process.
    private func redirected() throws -> (redirectURI: String, code: String) {
        let start = ExistOAuth.SignIn.randomState()
        let (code, resolver) = Promise<String>.pending()
        let routes = [
            ServerRoute("GET /\(start)") { _ in open(resolver) },
            ServerRoute("GET " + (wanted.path.isEmpty ? "/" : wanted.path)) { response($0, resolver) },
        ]
        // A browser resolves `localhost` to an IPv4 or an IPv6 address. The server listens at both, so that no other
        // program can receive the redirect at one of them.
        let port = UInt16(clamping: wanted.port ?? 80)
        let server = LoopbackServer(routes: routes, port: port, logLimit: 0, onIPv6: host == "localhost")
        do {
            try server.start()
        } catch let error as ServerStartError {
            throw Failure(
                "Cannot listen at \(wanted) for the browser: \(String(cString: strerror(error.code))). Free the port, or "
                    + "pass --redirect with another URI that is registered for the client.")
        }
        defer {
            // Waits up to a second until the browser has read the last page. The browser may keep its connection open
            // longer than that.
            for _ in 0..<100 where server.openConnections > 0 { usleep(10_000) }
            server.stop()
        }
        var redirect = URLComponents(url: wanted, resolvingAgainstBaseURL: false)
        // If the redirect URI has port 0, the system chooses the port. Some services accept any port of this machine.
        if wanted.port == 0 { redirect?.port = server.baseURL.port }
        let redirectURI = redirect?.string ?? wanted.absoluteString
        let begun = try oauth(redirectURI: redirectURI).signIn(scopes: scopes)
        state.withLock { $0.signIn = begun }
        let page = server.baseURL.appendingPathComponent(start)
        access.terminal.notify(
            "Approve access in the browser within 5 min; Ctrl-C stops. If it does not open, open this URL on this machine, "
                + "once:")
        access.terminal.notify(page.absoluteString)
        Browser.open(page, access.environment)

        let received = try code.timeout(
            seconds: 300, timekeeper: access.arguments.context.clock
        ).mapError { error in
            error is ExistOAuth.RedirectError || error is Failure
                ? error : Failure("The browser did not return in time: run “pledge login” again, or paste a token.")
        }.wait()
        return (redirectURI, received)
    }

    private func oauth(redirectURI: String) -> ExistOAuth {
        ExistOAuth(
            clientID: clientID, clientSecret: secret, redirectURI: redirectURI, baseURL: address,
            options: access.options(.exist))
    }

    /// Throws if the service doesn't know the client or rejects its secret. Without this check, the service would show
    /// its own error page, perhaps only after the user has consented, and the browser would never return to this
    /// process.
    ///
    /// The only way to check the client before the user consents is to exchange an invalid code. The exchange always
    /// fails, but the reason tells whether the client is at fault.
    private func checkClient(_ oauth: ExistOAuth) throws {
        do {
            _ = try oauth.token(for: "check-of-the-client").wait()
        } catch let error as ExistError {
            guard let exchange = error.exchange, case .status(let status) = exchange.reason else { throw error }
            let message = exchange.message.flatMap(ServiceMessage.line)
            // Only the OAuth2 error code before the colon counts. The description after it may contain the word
            // “client” for other reasons.
            let code = message?.prefix { $0 != ":" }.lowercased() ?? ""
            guard status != 401, !code.contains("client") else {
                throw Failure(
                    "Exist refused the client \(clientID), or its secret (\(message ?? "it answered \(status)")): "
                        + "compare both with the client's page, \(Access.Service.exist.tokenPage).")
            }
        }
    }

    private static let openedTwice = Failure(
        "The page was opened twice, perhaps by another user of this machine, so nothing was stored: run “pledge login” "
            + "again.")

    private func open(_ code: Resolver<String>? = nil) -> ServerResponse {
        let address = state.withLock { state -> URL? in
            state.openings += 1
            return state.openings == 1 ? state.signIn?.address : nil
        }
        if let address { return .empty(303, headers: ["Location": address.absoluteString]) }
        code?.reject(Self.openedTwice)
        return Self.page("This page was already opened", "Return to the terminal.", status: 410)
    }

    private func response(_ request: ServerRequest, _ code: Resolver<String>) -> ServerResponse {
        // Uses the host name that the browser requested, such as localhost. The server knows only its numeric address,
        // which would not match the redirect URI.
        let host = request.headers["Host"] ?? ""
        guard let signIn = state.withLock(\.signIn), let redirect = URL(string: "http://\(host)\(request.target)")
        else {
            return .empty(400)
        }
        do throws(ExistOAuth.RedirectError) {
            code.fulfill(try signIn.code(from: redirect))
            return Self.page("Signed in", "You can close this page and return to the terminal.")
        } catch .refused(let reason) {
            code.reject(ExistOAuth.RedirectError.refused(reason))
            return Self.page("Not signed in", "Access was not granted. The terminal shows the reason.")
        } catch {
            // Any local program can send a request here, so only a redirect that belongs to this sign-in ends the wait.
            return Self.page(
                "This request does not belong to the sign-in", "Return to the service's page.", status: 400)
        }
    }

    private static func page(_ title: String, _ text: String, status: Int = 200) -> ServerResponse {
        let markup: HTML = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>pledge: \(title)</title></head>
            <body style="font: 1.25rem/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 30rem">
            <h1>\(title)</h1><p>\(text)</p></body></html>

            """
        return ServerResponse(
            status: status, headers: ["Content-Type": "text/html; charset=utf-8", "Connection": "close"],
            body: Data(markup.source.utf8))
    }
}

enum Browser {
    /// Opens an address in a browser, if this machine has one. The browsers named in the variable `BROWSER` take
    /// precedence over the system's.
    static func open(_ address: URL, _ environment: [String: String]) {
        #if os(macOS)
            let standard = ["/usr/bin/open"]
        #else
            let standard = ["/usr/bin/xdg-open"]
        #endif
        let named = environment["BROWSER", default: ""].split(separator: ":").map(String.init)
        let found = (named + standard).first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { return }
        // The browser's output is discarded, because this tool's output may be read by programs. The browser has its
        // own process group, so that Ctrl-C doesn't stop it.
        let child = try? ChildProcess.spawn([found, address.absoluteString], environment, streams: [nil, nil, nil])
        // Waits for the browser to exit. Otherwise, it would remain as a zombie process until this process ends.
        if let child { Thread.detachNewThread { _ = retryingOnInterrupt { waitpid(child, nil, 0) } } }
    }
}
