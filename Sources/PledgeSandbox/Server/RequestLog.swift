/// The most recent requests, up to the limit.
final class RequestLog: Sendable {
    private let limit: Int
    private let kept = Locked<[SandboxRequest]>([])

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    func add(_ request: SandboxRequest) {
        kept.withLock { kept in
            kept.append(request)
            // Removed in batches: shifting the whole array for every request would cost more than the request.
            if kept.count >= limit + limit / 4 + 1 { kept.removeFirst(kept.count - limit) }
        }
    }

    var requests: [SandboxRequest] {
        kept.withLock { Array($0.suffix(limit)) }
    }

    func reset() {
        kept.withLock { $0 = [] }
    }
}
