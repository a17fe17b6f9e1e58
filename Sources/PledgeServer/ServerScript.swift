import Foundation

/// Scripted responses: what the server sends in place of its routes, and for how many requests.
///
///     server.script.next(2, matching: "GET /api/2/insights/", respond: .empty(503))
///
/// The next two requests for insights get a 503; then the routes respond again. If several rules match, the oldest one
/// is used up first, so rules take effect in the order they were added. Scripted requests are logged like any other.
public final class ServerScript: Sendable {
    private struct Rule {
        /// The method of the requests; empty for any method.
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

    /// Responds to the next matching requests with a response.
    ///
    /// - Parameters:
    ///   - count: The number of requests; `.max` for all from now on.
    ///   - pattern: A method and the beginning of a path, `"GET /api/2/"`, or either one; empty to match every request.
    ///   - response: The response to send.
    public func next(_ count: Int = 1, matching pattern: String = "", respond response: ServerResponse) {
        next(count, matching: pattern) { _ in response }
    }

    /// Responds to the next matching requests with the result of a closure; `nil` leaves the request to its route.
    public func next(
        _ count: Int = 1, matching pattern: String = "",
        respond: @escaping @Sendable (ServerRequest) -> ServerResponse?
    ) {
        let rule = Rule(
            method: pattern.prefix { $0 != " " && $0 != "/" }, pathPrefix: pattern.drop { $0 != "/" }, left: count,
            respond: respond)
        plan.withLock { $0.rules.append(rule) }
    }

    /// The delay of every response, in seconds. The default is 0.
    public var latency: TimeInterval {
        get { plan.withLock(\.latency) }
        set { plan.withLock { $0.latency = newValue } }
    }

    /// The number of scripted responses not yet sent; rules for `.max` requests do not count.
    public var remaining: Int {
        plan.withLock { plan in
            plan.rules.reduce(0) { $0 + ($1.left == .max ? 0 : $1.left) }
        }
    }

    /// Removes all rules and the latency.
    public func reset() {
        plan.withLock { $0 = Plan() }
    }

    /// Returns the scripted response to a request, consuming its rule; nil if a route handles it.
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

/// A step to perform on a connection in place of a regular response.
public enum ServerStep: Hashable, Sendable {
    /// Sends the bytes unchanged.
    case send(Data)
    /// Sends the bytes repeatedly until the other side ends the connection.
    case flood(Data)
    /// Pauses for a number of seconds.
    case pause(TimeInterval)
    /// Waits until the other side ends the connection.
    case wait
    /// Ends the connection abruptly with a TCP reset.
    case reset

    /// Sends the text repeatedly until the other side ends the connection.
    public static func flood(_ text: String) -> ServerStep { .flood(Data(text.utf8)) }

    /// Sends the text unchanged.
    public static func send(_ text: String) -> ServerStep { .send(Data(text.utf8)) }

    var bytes: Data { if case .send(let bytes) = self { bytes } else { Data() } }
}
