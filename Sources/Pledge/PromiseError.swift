import Foundation

/// The errors that promises themselves reject with. Any other error of a promise comes from the underlying work.
public enum PromiseError: Error, Sendable {
    /// The promise was canceled.
    case cancelled
    /// The resolver that was created at this location was released without being used.
    case dropped(file: String, line: UInt)
    /// A `then` closure returned the promise that `then` itself had created.
    case returnedSelf
    /// A completion handler received neither a value nor an error.
    case invalidCallingConvention
    /// The closure of a `compactMap` returned nil instead of a value of this type.
    case compactMap(type: String)
    /// The first or last element of a list was requested, but no element matches, or the list is empty.
    case emptySequence
    /// All promises that were passed to `race(fulfilled:)` were rejected. The errors are in the order of these
    /// promises.
    case noWinner([any Error])
    /// There was nothing to wait for, or a number was out of range. The text describes the problem.
    case badInput(String)
    /// The promise didn't settle within this number of seconds.
    case timedOut(seconds: Double)
    /// The `wait` at this location might never return, because it is called in a handler on the default queue or the
    /// main queue. While the handler waits, this queue can't run the handlers that would settle the promise.
    case deadlock(file: String, line: UInt)
}

extension PromiseError: CancellableError {
    /// Whether the error is ``cancelled``.
    public var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension PromiseError: Equatable {
    /// Returns whether two errors are the same case with the same contents.
    public static func == (one: PromiseError, other: PromiseError) -> Bool {
        switch (one, other) {
        case (.cancelled, .cancelled), (.returnedSelf, .returnedSelf), (.emptySequence, .emptySequence),
            (.invalidCallingConvention, .invalidCallingConvention):
            true
        case (.dropped(let file, let line), .dropped(let otherFile, let otherLine)),
            (.deadlock(let file, let line), .deadlock(let otherFile, let otherLine)):
            file == otherFile && line == otherLine
        case (.compactMap(let text), .compactMap(let otherText)), (.badInput(let text), .badInput(let otherText)):
            text == otherText
        case (.timedOut(let seconds), .timedOut(let otherSeconds)):
            seconds == otherSeconds
        case (.noWinner, .noWinner):
            // The errors may be of types that can't be compared, so their descriptions are compared.
            one.description == other.description
        default:
            false
        }
    }
}

extension PromiseError: CustomStringConvertible, LocalizedError {
    /// A sentence that explains the error. Where possible, it also suggests what to do.
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
