/// An event worth logging: a `PromiseEvent` with PromiseKit's cases. It is printed as the name of its case.
@_spi(PromiseKit) public enum LogEvent: Sendable {
    /// Never occurs: waiting on the main thread keeps serving the main queue and blocks nothing.
    case waitOnMainThread
    /// A resolver was released unused, and the resulting rejection was not handled.
    case pendingPromiseDeallocated
    /// The `resolve` closure of a guarantee was released unused.
    case pendingGuaranteeDeallocated
    /// A chain that ends with `cauterize` was rejected with this error.
    case cauterized(any Error)

    // Notes for events that Pledge lacks, or has only with a file and a line. They are recognized, so that an event
    // passed to `conf.logHandler` arrives there unchanged.
    private static let waiting = "The main thread waits for a promise."
    private static let promiseDropped = "A promise can never settle, because its resolver was released unused."
    private static let guaranteeDropped =
        "A guarantee can never settle, because its resolve closure was released unused."

    /// Creates an event from Pledge's; nil if PromiseKit has no equivalent.
    init?(_ event: PromiseEvent) {
        switch event {
        case .note(Self.waiting): self = .waitOnMainThread
        case .unhandled(PromiseError.dropped, _, _), .note(Self.promiseDropped): self = .pendingPromiseDeallocated
        case .guaranteeDropped, .note(Self.guaranteeDropped): self = .pendingGuaranteeDeallocated
        case .cauterized(let error): self = .cauterized(PMKError.from(error))
        default: return nil
        }
    }

    /// The equivalent event of Pledge.
    var event: PromiseEvent {
        switch self {
        case .waitOnMainThread: .note(Self.waiting)
        case .pendingPromiseDeallocated: .note(Self.promiseDropped)
        case .pendingGuaranteeDeallocated: .note(Self.guaranteeDropped)
        case .cauterized(let error): .cauterized(error)
        }
    }
}
