import Foundation

/// An error with which promises themselves reject. Any other error comes from the underlying work.
public enum PromiseError: Error, Sendable {
    /// The promise was canceled.
    case cancelled
    /// The resolver created at this location was released without being used.
    case dropped(file: String, line: UInt)
    /// A `then` closure returned the very promise that `then` created.
    case returnedSelf
    /// A completion handler received neither a value nor an error.
    case invalidCallingConvention
    /// A `compactMap` produced nil instead of a value of this type.
    case compactMap(type: String)
    /// The first or last element was requested, but there was none.
    case emptySequence
    /// All promises passed to `race(fulfilled:)` were rejected, with these errors, in their order.
    case noWinner([any Error])
    /// There was nothing to wait for, or a number was out of range. The text describes the problem.
    case badInput(String)
    /// The promise didn't settle within this many seconds.
    case timedOut(seconds: Double)
    /// The `wait` at this location is inside a handler on the default or main queue. The queue couldn't settle the
    /// promise while the handler waits.
    case deadlock(file: String, line: UInt)
}

extension PromiseError: CancellableError {
    /// Whether the error is ``cancelled``.
    public var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension PromiseError: Equatable {
    /// Returns whether two errors are the same case with the same contents.
    public static func == (one: PromiseError, other: PromiseError) -> Bool {
        // Compares text, because the errors of a race may be of any type.
        one.description == other.description
    }
}

extension PromiseError: CustomStringConvertible, LocalizedError {
    /// A one-sentence explanation, with a suggestion for what to do next where there is one.
    public var description: String {
        switch self {
        case .cancelled:
            "The promise was cancelled."
        case .dropped(let file, let line):
            "The promise made at \(file):\(line) can never settle, because its resolver was released unused: "
                + "keep the resolver until you call fulfill or reject."
        case .returnedSelf:
            "A promise cannot wait for itself: a then closure returned the promise that this then made."
        case .invalidCallingConvention:
            "A completion handler was called with neither a value nor an error."
        case .compactMap(let type):
            "compactMap found no \(type) in the value."
        case .emptySequence:
            "The list is empty, or has no element that matches."
        case .noWinner(let errors):
            "None of the promises that raced was fulfilled: "
                + errors.map { String(reflecting: $0) }.joined(separator: "; ")
        case .badInput(let problem):
            problem
        case .timedOut(let seconds):
            "The promise did not settle within \(seconds) s."
        case .deadlock(let file, let line):
            "The wait() at \(file):\(line) might never return: it is in a handler on the default or the main queue, "
                + "and blocks that queue, which the promise may need to settle. Return the promise from a then "
                + "closure, or give the handler another queue with on:."
        }
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}

/// An error that may indicate that work was canceled rather than that it failed. If so, `catch` ignores it, unless its
/// policy is ``CatchPolicy/allErrors``.
public protocol CancellableError: Error {
    /// Whether this error indicates that the work was canceled.
    var isCancelled: Bool { get }
}

/// The errors for which a `catch` or `recover` calls its closure.
public enum CatchPolicy: Sendable {
    /// Every error, including cancellation.
    case allErrors
    /// Every error except cancellation.
    case allErrorsExceptCancellation
}

extension Error {
    /// Whether this error indicates that the work was canceled: a ``CancellableError`` whose `isCancelled` is true,
    /// Swift's `CancellationError`, a canceled URL request, or Cocoa's "user canceled" error.
    public var isCancelled: Bool {
        switch self {
        case let error as any CancellableError: error.isCancelled
        case is CancellationError: true
        case let error as URLError: error.code == .cancelled
        case let error as CocoaError: error.code == .userCancelled
        default: false
        }
    }
}
