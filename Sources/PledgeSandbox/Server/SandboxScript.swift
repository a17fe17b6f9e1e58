import Foundation

/// Faults to come: what the server answers in place of its routes, and for how many requests.
///
///     server.script.next(2, matching: "GET /api/2/insights/", respond: .empty(503))
///
/// The next two requests for insights get a 503, then service is as usual. Of several rules that match, the oldest that is not
/// used up answers, so rules written one after another happen one after another. A scripted request is logged like any other.
public final class SandboxScript: Sendable {
    private struct Rule {
        let method: String?
        let pathPrefix: String
        var left: Int
        let respond: @Sendable (SandboxRequest) -> SandboxResponse?

        func matches(_ request: SandboxRequest) -> Bool {
            left > 0 && (method == nil || method == request.method) && request.path.hasPrefix(pathPrefix)
        }
    }

    private struct Plan {
        var rules: [Rule] = []
        var latency: TimeInterval = 0
    }

    private let plan = Locked(Plan())

    init() {}

    /// Answers the next requests that match with one response.
    ///
    /// - Parameters:
    ///   - count: How many requests; `.max` for all from now on.
    ///   - pattern: A method and the beginning of a path, `"GET /api/2/"`; or one of the two; empty for every request.
    ///   - response: What they get.
    public func next(_ count: Int = 1, matching pattern: String = "", respond response: SandboxResponse) {
        next(count, matching: pattern) { _ in response }
    }

    /// Answers the next requests that match with what a closure makes of them; `nil` leaves the request to its route.
    public func next(
        _ count: Int = 1, matching pattern: String = "",
        respond: @escaping @Sendable (SandboxRequest) -> SandboxResponse?
    ) {
        let words = pattern.split(separator: " ", maxSplits: 1).map(String.init)
        let rule = Rule(
            method: words.first { !$0.hasPrefix("/") }, pathPrefix: words.first { $0.hasPrefix("/") } ?? "",
            left: count, respond: respond)
        plan.withLock { $0.rules.append(rule) }
    }

    /// How long every reply is held back, in seconds; 0 at first.
    public var latency: TimeInterval {
        get { plan.withLock(\.latency) }
        set { plan.withLock { $0.latency = newValue } }
    }

    /// How many scripted answers have not been given yet; rules for `.max` requests do not count.
    public var remaining: Int {
        plan.withLock { plan in
            plan.rules.reduce(0) { $0 + ($1.left == .max ? 0 : $1.left) }
        }
    }

    /// Forgets every rule and the latency.
    public func reset() {
        plan.withLock { $0 = Plan() }
    }

    /// The scripted answer to a request, using up its rule; `nil` when it goes to its route.
    func answer(to request: SandboxRequest) -> SandboxResponse? {
        let respond = plan.withLock { plan -> (@Sendable (SandboxRequest) -> SandboxResponse?)? in
            guard let index = plan.rules.firstIndex(where: { $0.matches(request) }) else { return nil }
            let respond = plan.rules[index].respond
            if plan.rules[index].left != .max { plan.rules[index].left -= 1 }
            plan.rules.removeAll { $0.left == 0 }
            return respond
        }
        return respond?(request)
    }
}
