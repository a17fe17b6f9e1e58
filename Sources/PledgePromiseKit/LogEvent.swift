/// An event worth logging: a `PromiseEvent` with PromiseKit's cases.
public enum LogEvent: Sendable, CustomStringConvertible {
    /// Never occurs: waiting on the main thread keeps serving the main queue and blocks nothing.
    case waitOnMainThread
    /// A resolver was released unused, and the resulting rejection was not handled.
    case pendingPromiseDeallocated
    /// The `resolve` closure of a guarantee was released unused.
    case pendingGuaranteeDeallocated
    /// A chain that ends with `cauterize` was rejected with this error.
    case cauterized(any Error)

    /// The event as a log line.
    public var description: String {
        switch self {
        case .waitOnMainThread: "The main thread waits for a promise."
        case .pendingPromiseDeallocated: "A promise can never settle, because its resolver was released unused."
        case .pendingGuaranteeDeallocated:
            "A guarantee can never settle, because its resolve closure was released unused."
        case .cauterized(let error): PromiseEvent.cauterized(error).description
        }
    }

    /// Creates an event from Pledge's; nil if PromiseKit has no equivalent.
    init?(_ event: PromiseEvent) {
        switch event {
        case .cauterized(let error): self = .cauterized(PMKError.from(error))
        case .guaranteeDropped: self = .pendingGuaranteeDeallocated
        case .unhandled(PromiseError.dropped, _): self = .pendingPromiseDeallocated
        default: return nil
        }
    }

    /// The equivalent event of Pledge.
    var event: PromiseEvent {
        if case .cauterized(let error) = self { return .cauterized(error) }
        return .note(description)
    }
}
