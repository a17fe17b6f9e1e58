import ExistKit
import Foundation
import PledgeFiles
import PledgeServer

/// An OAuth2 sign-in, in which the service redirects the browser to a local server.
///
/// Other users of this machine can read the browser's command line and send requests to the server. So the browser
/// opens a page of the server, which redirects to the service only once. If it is requested a second time, someone else
/// has used it, and the sign-in ends. Someone else may also use the page first, and sign in to their own account.
/// Therefore the user confirms the account's name.
struct BrowserSignIn: Sendable {
    static let secretName = "EXIST_CLIENT_SECRET"

    private let access: Access
    private let clientID: String
    private let secret: String
    private let address: URL
    private let wanted: URL
    private let state = Locked(State())

    private struct State {
        var signIn: ExistOAuth.SignIn?
        /// How often the page that redirects to the service was requested.
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
        let isHere = wanted.scheme == "http" && ["127.0.0.1", "localhost"].contains(wanted.host)
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

    /// Asks for the address to which the service redirected the browser, because that address does not lead to this
    /// server.
    private func pasted() throws -> (redirectURI: String, code: String) {
        let begun = try oauth(redirectURI: wanted.absoluteString).signIn(scopes: scopes)
        state.withLock { $0.signIn = begun }
        access.terminal.notify("Approve access in the browser. If it does not open, open this URL:")
        access.terminal.notify(ErrorLine(begun.address.absoluteString))
        let start = ExistOAuth.SignIn.randomState()
        let server = LoopbackServer(routes: [ServerRoute("GET /\(start)") { _ in open() }], logLimit: 0)
        // If the server can't start, the user opens the URL.
        if (try? server.start()) != nil {
            Browser.open(server.baseURL.appendingPathComponent(start), access.environment)
        }
        defer { server.stop() }
        let text = try access.terminal.ask("Address of the page that the browser then shows")
        guard let redirect = URL(string: text) else { throw UsageError("The pasted text is not a URL.") }
        return (wanted.absoluteString, try begun.code(from: redirect))
    }

    /// Waits for the browser, which the service redirects to this machine.
    private func redirected() throws -> (redirectURI: String, code: String) {
        let start = ExistOAuth.SignIn.randomState()
        let (code, resolver) = Promise<String>.pending()
        let routes = [
            ServerRoute("GET /\(start)") { _ in open(resolver) },
            ServerRoute("GET " + (wanted.path.isEmpty ? "/" : wanted.path)) { response($0, resolver) },
        ]
        // The browser may resolve `localhost` to an address of IPv4 or IPv6. The server listens at both, so that no
        // other program can.
        let port = UInt16(clamping: wanted.port ?? 80)
        let server = LoopbackServer(routes: routes, port: port, logLimit: 0, onIPv6: wanted.host == "localhost")
        do {
            try server.start()
        } catch let error as ServerStartError {
            throw Failure(
                "Cannot listen at \(wanted) for the browser: \(String(cString: strerror(error.code))). Free the port, or "
                    + "pass --redirect with another URI that is registered for the client.")
        }
        defer {
            // Let the browser finish reading the page; it may keep its connection open longer.
            for _ in 0..<100 where server.openConnections > 0 { usleep(10_000) }
            server.stop()
        }
        var redirect = URLComponents(url: wanted, resolvingAgainstBaseURL: false)
        // With port 0, the system chooses the port. Some services accept any local port.
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

    /// Throws if the service does not know the client or rejects its secret. Otherwise, the service would show an error
    /// page of its own, perhaps only after consent, and the browser would never return.
    ///
    /// The only way to learn this before the user consents is to exchange an invalid code. That always fails, but the
    /// reason tells whether the client is at fault.
    private func checkClient(_ oauth: ExistOAuth) throws {
        do {
            _ = try oauth.token(for: "check-of-the-client").wait()
        } catch let error as ExistError {
            guard case .status(let status, let message) = error.exchange?.reason else { throw error }
            // The OAuth 2 error code decides. Its description may mention a client in any case.
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
        // Uses the host that the browser requested, because the server's own address is always numeric.
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
    /// Opens an address in a browser, if there is one. The browsers in `$BROWSER` are tried first.
    static func open(_ address: URL, _ environment: [String: String]) {
        #if os(macOS)
            let standard = ["/usr/bin/open"]
        #else
            let standard = ["/usr/bin/xdg-open"]
        #endif
        let named = environment["BROWSER", default: ""].split(separator: ":").map(String.init)
        let found = (named + standard).first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { return }
        // Discards the browser's output, because the tool's own output is data. The browser is in a process group of
        // its own, so Ctrl-C does not reach it.
        let child = try? ChildProcess.spawn([found, address.absoluteString], environment, streams: [nil, nil, nil])
        // Waits for the browser to exit, so that it doesn't become a zombie.
        if let child { Thread.detachNewThread { _ = retryingOnInterrupt { waitpid(child, nil, 0) } } }
    }
}
