import Foundation

/// Scripted responses, which a server sends in place of the responses of its routes.
///
///     server.script.next(2, matching: "GET /api/2/insights/", respond: .empty(503))
///
/// In this example, the next two requests for insights get a 503. After that, the routes respond again.
///
/// If several rules match a request, the oldest rule is used. So rules take effect in the order in which you add them.
/// The server logs requests with a scripted response like all other requests.
public final class ServerScript: Sendable {
    private struct Rule {
        /// The method of the requests that the rule matches; empty for any method.
        let method: Substring
        let pathPrefix: Substring
        var left: Int
        let respond: @Sendable (ServerRequest) -> ServerResponse?

        func matches(_ request: ServerRequest) -> Bool {
            left > 0 && (method.isEmpty || method == request.method) && request.path.hasPrefix(pathPrefix)
        }
    }

    private struct Plan {
        var rules: [Rule] = []
        var latency: TimeInterval = 0
    }

    private let plan = Protected(Plan())

    init() {}

    /// Adds a rule: the next requests that match get the given response.
    ///
    /// - Parameters:
    ///   - count: The number of requests. Pass `.max` for all requests from now on.
    ///   - pattern: A method and the beginning of a path, such as `"GET /api/2/"`. You can omit either of them. An
    ///     empty pattern matches every request.
    ///   - response: The response to send.
    public func next(_ count: Int = 1, matching pattern: String = "", respond response: ServerResponse) {
        next(count, matching: pattern) { _ in response }
    }

    /// Adds a rule: the next requests that match get the response that a closure returns. If the closure returns nil,
    /// the route responds.
    public func next(
        _ count: Int = 1, matching pattern: String = "",
        respond: @escaping @Sendable (ServerRequest) -> ServerResponse?
    ) {
        let rule = Rule(
            method: pattern.prefix { $0 != " " && $0 != "/" }, pathPrefix: pattern.drop { $0 != "/" }, left: count,
            respond: respond)
        plan.withLock { $0.rules.append(rule) }
    }

    /// The additional delay of every response, scripted or not, in seconds. The default is 0.
    public var latency: TimeInterval {
        get { plan.withLock(\.latency) }
        set { plan.withLock { $0.latency = newValue } }
    }

    /// The number of requests that still get a scripted response. Rules for `.max` requests don't count.
    public var remaining: Int {
        plan.withLock { plan in
            plan.rules.reduce(0) { $0 + ($1.left == .max ? 0 : $1.left) }
        }
    }

    /// Removes all rules, and sets the latency to 0.
    public func reset() {
        plan.withLock { $0 = Plan() }
    }

    /// Returns the scripted response to a request, and counts the request toward its rule. Returns nil if a route is to
    /// respond.
    func response(to request: ServerRequest) -> ServerResponse? {
        let respond = plan.withLock { plan -> (@Sendable (ServerRequest) -> ServerResponse?)? in
            guard let index = plan.rules.firstIndex(where: { $0.matches(request) }) else { return nil }
            let respond = plan.rules[index].respond
            if plan.rules[index].left != .max { plan.rules[index].left -= 1 }
            plan.rules.removeAll { $0.left == 0 }
            return respond
        }
        return respond?(request)
    }
}

/// A step that the server performs on a connection in place of a regular response.
public enum ServerStep: Hashable, Sendable {
    /// Sends the bytes unchanged.
    case send(Data)
    /// Sends the bytes again and again until the client ends the connection.
    case flood(Data)
    /// Pauses for a number of seconds.
    case pause(TimeInterval)
    /// Waits until the client ends the connection.
    case wait
    /// Ends the connection abruptly, with a TCP reset.
    case reset

    /// Returns a step that sends the text again and again until the client ends the connection.
    public static func flood(_ text: String) -> ServerStep { .flood(Data(text.utf8)) }

    /// Returns a step that sends the text unchanged.
    public static func send(_ text: String) -> ServerStep { .send(Data(text.utf8)) }

    var bytes: Data { if case .send(let bytes) = self { bytes } else { Data() } }
}
