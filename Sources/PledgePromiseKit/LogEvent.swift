/// Something worth a line in the log: a `PromiseEvent`, with PromiseKit's cases.
public enum LogEvent: Sendable, CustomStringConvertible {
    /// Never comes: waiting on the main thread keeps the main queue served, and blocks nothing.
    case waitOnMainThread
    /// A resolver was let go unused, and nobody had looked at the error that its promise was then rejected with.
    case pendingPromiseDeallocated
    /// The `resolve` of a guarantee was let go unused.
    case pendingGuaranteeDeallocated
    /// A chain that ends with `cauterize` ended with this error.
    case cauterized(any Error)

    /// The event as a line of a log.
    public var description: String {
        switch self {
        case .waitOnMainThread: "The main thread waits for a promise."
        case .pendingPromiseDeallocated: "A promise can never settle, because its resolver was released unused."
        case .pendingGuaranteeDeallocated:
            "A guarantee can never settle, because its resolve closure was released unused."
        case .cauterized(let error): PromiseEvent.cauterized(error).description
        }
    }

    /// The event, if PromiseKit knows it.
    init?(_ event: PromiseEvent) {
        switch event {
        case .cauterized(let error): self = .cauterized(PMKError.from(error))
        case .guaranteeDropped: self = .pendingGuaranteeDeallocated
        case .unhandled(PromiseError.dropped, _): self = .pendingPromiseDeallocated
        default: return nil
        }
    }

    /// The same as Pledge's handler takes it.
    var event: PromiseEvent {
        if case .cauterized(let error) = self { return .cauterized(error) }
        return .note(description)
    }
}
