import Dispatch
import Foundation

/// The configuration of all promises, under PromiseKit's name: a view of `PromiseConfiguration.shared`.
@_spi(PromiseKit) public var conf: PMKConfiguration {
    get { PMKConfiguration(base: .shared) }
    set { PromiseConfiguration.shared = newValue.base }
}

/// The settings an app may change once, at launch: `PromiseConfiguration` with PromiseKit's names.
@_spi(PromiseKit) public struct PMKConfiguration: Sendable {
    var base: PromiseConfiguration

    /// The queues for handlers that specify none. The default is the main queue; nil runs handlers on the thread that
    /// settles the promise. Pledge's own default, `.pledge`, counts as not set: to use it, specify `on: .pledge`.
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

    /// The errors that `catch` and `recover` handle if they specify no policy.
    public var catchPolicy: CatchPolicy {
        get { base.catchPolicy }
        set { base.catchPolicy = newValue }
    }

    /// A handler, called on any thread, for the events that PromiseKit defines; others are written to standard error.
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

/// The errors that promises themselves reject with, as PromiseKit defines them: handlers receive these in place of the
/// equivalent `PromiseError`, which `try await promise.value` throws.
@_spi(PromiseKit) public enum PMKError: Error {
    /// A completion handler received neither a value nor an error.
    case invalidCallingConvention
    /// A `then` handler returned the promise that `then` itself created.
    case returnedSelf
    /// There was nothing to wait for, or a number was invalid.
    case badInput
    /// The promise was canceled before it settled.
    case cancelled
    /// A `compactMap` handler returned nil for this value in place of a value of this type.
    case compactMap(any Sendable, Any.Type)
    /// The first or last element of an empty list was requested.
    case emptySequence
    /// All promises of a `race(fulfilled:)` were rejected.
    case noWinner

    /// Returns the error as a handler written for PromiseKit expects it.
    static func from(_ error: any Error) -> any Error {
        switch error as? PromiseError {
        case .invalidCallingConvention: PMKError.invalidCallingConvention
        case .returnedSelf: PMKError.returnedSelf
        case .badInput: PMKError.badInput
        case .cancelled: PMKError.cancelled
        case .emptySequence: PMKError.emptySequence
        case .noWinner: PMKError.noWinner
        // Errors that PromiseKit lacks, or whose value is not available, remain unchanged.
        case .dropped, .timedOut, .deadlock, .compactMap, nil: error
        }
    }
}

@_spi(PromiseKit) extension PMKError: CancellableError {
    /// Whether the error is ``cancelled``, rather than a failure.
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }
}

@_spi(PromiseKit) extension PMKError: CustomDebugStringConvertible, LocalizedError {
    /// PromiseKit's own words, without the value passed to `compactMap`, as it may be private.
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

    /// The same sentence as ``debugDescription``.
    public var errorDescription: String? { debugDescription }
}
