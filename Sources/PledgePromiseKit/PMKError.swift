import Foundation

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
