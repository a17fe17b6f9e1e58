import Foundation

/// What promises themselves reject with, in PromiseKit's shapes: handlers get this in the place of a `PromiseError`
/// that means the same. `try await promise.value` throws the latter.
public enum PMKError: Error {
    /// A completion handler had neither a value nor an error.
    case invalidCallingConvention
    /// A `then` returned the very promise it was making.
    case returnedSelf
    /// There was nothing to wait for, or a number made no sense.
    case badInput
    /// The promise was cancelled.
    case cancelled
    /// A `compactMap` made nothing of this value, and should have made one of this type.
    case compactMap(any Sendable, Any.Type)
    /// The first or last of an empty list was asked for.
    case emptySequence
    /// All promises of a `race(fulfilled:)` were rejected.
    case noWinner

    /// The error as a handler written for PromiseKit expects it.
    static func from(_ error: any Error) -> any Error {
        switch error as? PromiseError {
        case .invalidCallingConvention: PMKError.invalidCallingConvention
        case .returnedSelf: PMKError.returnedSelf
        case .badInput: PMKError.badInput
        case .cancelled: PMKError.cancelled
        case .emptySequence: PMKError.emptySequence
        case .noWinner: PMKError.noWinner
        // What PromiseKit does not know, or has not been given the value for, stays what it is.
        case .dropped, .timedOut, .compactMap, nil: error
        }
    }
}

extension PMKError: CancellableError {
    /// True for ``cancelled``, and false for the others.
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }
}

extension PMKError: CustomStringConvertible, LocalizedError {
    /// One sentence; the value that `compactMap` was given is not in it, as it may be private.
    public var description: String {
        switch self {
        case .invalidCallingConvention: "\(PromiseError.invalidCallingConvention)"
        case .returnedSelf: "\(PromiseError.returnedSelf)"
        case .badInput: "There was nothing to wait for, or a number made no sense."
        case .cancelled: "\(PromiseError.cancelled)"
        case .compactMap(_, let type): "\(PromiseError.compactMap(type: "\(type)"))"
        case .emptySequence: "\(PromiseError.emptySequence)"
        case .noWinner: "\(PromiseError.noWinner)"
        }
    }

    /// The same sentence as ``description``.
    public var errorDescription: String? { description }
}
