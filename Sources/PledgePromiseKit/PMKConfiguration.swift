import Dispatch
import Foundation

/// The configuration of all promises, under PromiseKit's name. Changing it changes `PromiseConfiguration.shared`.
@_spi(PromiseKit) public var conf: PMKConfiguration {
    get { PMKConfiguration(base: .shared) }
    set { PromiseConfiguration.shared = newValue.base }
}

/// The settings of `PromiseConfiguration`, under PromiseKit's names. An app may change them once, at launch.
@_spi(PromiseKit) public struct PMKConfiguration: Sendable {
    var base: PromiseConfiguration

    /// The queues for handlers that don't specify a queue. The default is the main queue. If a queue is nil, the
    /// handlers run on the thread that settles the promise.
    ///
    /// If you set a queue to `.pledge`, which is Pledge's own default, the handlers still run on the main queue,
    /// because `.pledge` counts as not set. To run a handler on Pledge's default queue, write `on: .pledge` for this
    /// handler.
    public var Q: (map: DispatchQueue?, return: DispatchQueue?) {
        get {
            let queues = base.queues
            return (
                queues.map === DispatchQueue.pledge ? .main : queues.map,
                queues.return === DispatchQueue.pledge ? .main : queues.return
            )
        }
        set { base.queues = newValue }
    }

    /// The errors that a `catch` or `recover` handles if it doesn't specify a policy.
    public var catchPolicy: CatchPolicy {
        get { base.catchPolicy }
        set { base.catchPolicy = newValue }
    }

    /// A closure that receives an event if PromiseKit has such an event, too. The closure may be called on any thread.
    /// Pledge's other events are written to standard error.
    @preconcurrency public var logHandler: @Sendable (LogEvent) -> Void {
        get {
            let log = base.logHandler
            return { event in log(event.event) }
        }
        set {
            let other = PromiseConfiguration().logHandler
            base.logHandler = { event in LogEvent(event).map(newValue) ?? other(event) }
        }
    }
}

/// An event that is worth logging, under PromiseKit's names.
@_spi(PromiseKit) public enum LogEvent: Sendable {
    /// Never occurs. If you wait on the main thread, the main queue is served meanwhile, so nothing is blocked.
    case waitOnMainThread
    /// A resolver was released unused, and nothing handled the resulting error.
    case pendingPromiseDeallocated
    /// The `resolve` closure of a guarantee was released unused.
    case pendingGuaranteeDeallocated
    /// A chain that ends with `cauterize` was rejected with this error.
    case cauterized(any Error)

    // Pledge either does not have these three events, or has them only with a file and a line. So they become notes
    // with the following texts, which `init(_:)` recognizes. If you call `conf.logHandler` with such an event, the log
    // handler that you have set receives the same event.
    private static let waiting = "The main thread waits for a promise."
    private static let promiseDropped = "A promise can never settle, because its resolver was released unused."
    private static let guaranteeDropped =
        "A guarantee can never settle, because its resolve closure was released unused."

    /// Creates an event from an event of Pledge, or returns nil if PromiseKit has no such event.
    init?(_ event: PromiseEvent) {
        switch event {
        case .note(Self.waiting): self = .waitOnMainThread
        case .unhandled(PromiseError.dropped, _, _), .note(Self.promiseDropped): self = .pendingPromiseDeallocated
        case .guaranteeDropped, .note(Self.guaranteeDropped): self = .pendingGuaranteeDeallocated
        case .cauterized(let error): self = .cauterized(PMKError.from(error))
        default: return nil
        }
    }

    /// The event of Pledge that this event corresponds to.
    var event: PromiseEvent {
        switch self {
        case .waitOnMainThread: .note(Self.waiting)
        case .pendingPromiseDeallocated: .note(Self.promiseDropped)
        case .pendingGuaranteeDeallocated: .note(Self.guaranteeDropped)
        case .cauterized(let error): .cauterized(error)
        }
    }
}

/// The errors that promises themselves reject with, under PromiseKit's names. Handlers receive these errors instead of
/// Pledge's `PromiseError`. `try await promise.value`, however, throws `PromiseError`.
@_spi(PromiseKit) public enum PMKError: Error {
    /// A completion handler received neither a value nor an error.
    case invalidCallingConvention
    /// The closure of a `then` returned the promise that `then` itself had created.
    case returnedSelf
    /// There was nothing to wait for, or a number was out of range.
    case badInput
    /// The promise was canceled before it settled.
    case cancelled
    /// The closure of a `compactMap` returned nil. The associated values are the closure's argument, and the type of
    /// the value that the closure should have returned.
    case compactMap(any Sendable, Any.Type)
    /// The first or last element of an empty list was requested.
    case emptySequence
    /// All promises that were passed to `race(fulfilled:)` were rejected.
    case noWinner

    /// Returns the error that code written for PromiseKit expects in place of this error.
    static func from(_ error: any Error) -> any Error {
        switch error as? PromiseError {
        case .invalidCallingConvention: PMKError.invalidCallingConvention
        case .returnedSelf: PMKError.returnedSelf
        case .badInput: PMKError.badInput
        case .cancelled: PMKError.cancelled
        case .emptySequence: PMKError.emptySequence
        case .noWinner: PMKError.noWinner
        // These errors stay as they are, because PromiseKit has no equivalent of them. It does have a `compactMap`, but
        // that contains the closure's argument, which isn't known here.
        case .dropped, .timedOut, .deadlock, .compactMap, nil: error
        }
    }
}

@_spi(PromiseKit) extension PMKError: CancellableError {
    /// Whether this error means that the work was canceled.
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }
}

@_spi(PromiseKit) extension PMKError: CustomDebugStringConvertible, LocalizedError {
    /// PromiseKit's text for the error. The value in `compactMap` is left out, because it may be private.
    public var debugDescription: String {
        switch self {
        case .invalidCallingConvention: "A closure was called with an invalid calling convention, probably (nil, nil)"
        case .returnedSelf: "A promise handler returned itself"
        case .badInput: "Bad input was provided to a PromiseKit function"
        case .cancelled: "The asynchronous sequence was cancelled"
        case .compactMap(_, let type): "Could not `compactMap<\(type)>`"
        case .emptySequence: "The first or last element was requested for an empty sequence"
        case .noWinner: "All thenables passed to race(fulfilled:) were rejected"
        }
    }

    /// The same text as ``debugDescription``.
    public var errorDescription: String? { debugDescription }
}
