import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An error that can tell whether work was canceled or has failed. If it was canceled, `catch` ignores the error,
/// unless the policy of the `catch` is ``CatchPolicy/allErrors``.
public protocol CancellableError: Error {
    /// Whether this error means that the work was canceled.
    var isCancelled: Bool { get }
}

extension CancellableError {
    /// True, unless the type says otherwise.
    public var isCancelled: Bool { true }
}

/// The errors for which a `catch` or `recover` calls its closure.
public enum CatchPolicy: Sendable {
    /// Every error, including cancellation.
    case allErrors
    /// Every error except cancellation.
    case allErrorsExceptCancellation
}

extension Error {
    /// Whether this error means that the work was canceled.
    ///
    /// This is true for a ``CancellableError`` whose `isCancelled` is true, for Swift's `CancellationError`, for the
    /// error of a canceled URL request, for Cocoa's "user canceled" error, and for StoreKit's error of a canceled
    /// payment.
    public var isCancelled: Bool {
        switch self {
        case let error as any CancellableError: error.isCancelled
        case is CancellationError: true
        case let error as URLError: error.code == .cancelled
        case let error as CocoaError: error.code == .userCancelled
        default: isCancelledPayment
        }
    }

    private var isCancelledPayment: Bool {
        #if canImport(Darwin)
            let error = self as NSError
            return error.domain == "SKErrorDomain" && error.code == 2
        #else
            return false
        #endif
    }
}
