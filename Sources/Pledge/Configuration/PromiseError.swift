import Foundation

/// What promises themselves reject with. Everything else is the error of the work behind them.
public enum PromiseError: Error, Equatable, Sendable {
    /// The promise was cancelled.
    case cancelled
    /// The resolver made at this place was let go without having been used.
    case dropped(file: String, line: UInt)
    /// A `then` returned the very promise it was making.
    case returnedSelf
    /// A completion handler had neither a value nor an error.
    case invalidCallingConvention
    /// A `compactMap` found nothing.
    case compactMap(type: String)
    /// The first or last of an empty list was asked for.
    case emptySequence
    /// All promises of a `race(fulfilled:)` were rejected.
    case noWinner
    /// There was nothing to wait for, or a number made no sense; the text says which.
    case badInput(String)
    /// The time was up, after this many seconds.
    case timedOut(seconds: Double)
}

extension PromiseError: CancellableError {
    /// True for ``cancelled``, and false for the others.
    public var isCancelled: Bool { self == .cancelled }
}

extension PromiseError: CustomStringConvertible, LocalizedError {
    /// One sentence, and what to do next where there is something to do.
    public var description: String {
        switch self {
        case .cancelled:
            "The promise was cancelled."
        case .dropped(let file, let line):
            "The promise made at \(file):\(line) can never settle, because its resolver was released unused: "
                + "keep the resolver until you call fulfill or reject."
        case .returnedSelf:
            "A promise cannot wait for itself: a then closure returned the promise that then made."
        case .invalidCallingConvention:
            "A completion handler was called with neither a value nor an error."
        case .compactMap(let type):
            "compactMap found no \(type) in the value."
        case .emptySequence:
            "The list is empty, so it has no first or last value."
        case .noWinner:
            "None of the promises that raced was fulfilled."
        case .badInput(let problem):
            problem
        case .timedOut(let seconds):
            "The promise did not settle within \(seconds) s."
        }
    }

    /// The same sentence as ``description``.
    public var errorDescription: String? { description }
}

/// An error that may mean "nobody wants this any more" rather than "this went wrong".
///
/// `catch` passes such errors by unless its policy is ``CatchPolicy/allErrors``.
public protocol CancellableError: Error {
    /// True if this error means that the work was cancelled.
    var isCancelled: Bool { get }
}

/// Which errors a `catch` is called with.
public enum CatchPolicy: Sendable {
    /// Every error, cancellation included.
    case allErrors
    /// Every error but cancellation.
    case allErrorsExceptCancellation
}

extension Error {
    /// True if this error means that the work was cancelled: a ``CancellableError`` that says so, Swift's
    /// `CancellationError`, a cancelled URL request, or Cocoa's "user cancelled".
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
