/// The outcome of a promise, with PromiseKit's two cases. In a file that imports this type, write `Swift.Result` for
/// Swift's type.
@_spi(PromiseKit) public enum Result<T> {
    /// The promise was fulfilled with this value.
    case fulfilled(T)
    /// The promise was rejected with this error.
    case rejected(any Error)

    /// Whether the outcome is a value.
    public var isFulfilled: Bool {
        if case .fulfilled = self { true } else { false }
    }

    init(_ result: Swift.Result<T, any Error>) {
        switch result {
        case .success(let value): self = .fulfilled(value)
        case .failure(let error): self = .rejected(PMKError.from(error))
        }
    }
}

extension Result: Sendable where T: Sendable {}

@_spi(PromiseKit) extension Resolver {
    /// Fulfills the promise with the value of an outcome, or rejects it with the error.
    public func resolve(_ result: Result<T>) {
        switch result {
        case .fulfilled(let value): fulfill(value)
        case .rejected(let error): reject(error)
        }
    }
}

@_spi(PromiseKit) extension Promise {
    /// The outcome, or nil while the promise is pending. If the outcome is an error, reading it counts as handling the
    /// error.
    public var result: Result<T>? { outcome(of: self) }

    /// The error, or nil if the promise isn't rejected. Reading the error counts as handling it.
    public var error: (any Error)? { failure(of: self).map(PMKError.from) }

    /// Calls `body` once with the outcome, on the thread that settles the promise. If the promise has already settled,
    /// calls `body` immediately.
    @preconcurrency public func pipe(to body: @escaping @Sendable (Result<T>) -> Void) { deliver(self, to: body) }
}

@_spi(PromiseKit) extension Guarantee {
    /// The outcome, or nil while the guarantee is pending.
    public var result: Result<T>? { outcome(of: self) }

    /// Calls `body` once with the outcome, on the thread that fulfills the guarantee. If the guarantee is already
    /// fulfilled, calls `body` immediately.
    @preconcurrency public func pipe(to body: @escaping @Sendable (Result<T>) -> Void) { deliver(self, to: body) }
}

// These functions are generic over all thenables, so that their bodies use Pledge's members. For a `Promise`, the
// compiler would choose the members of this module, which would call themselves.

private func outcome<P: Thenable>(of thenable: P) -> Result<P.T>? { thenable.result.map(Result.init) }

private func failure<P: Thenable>(of thenable: P) -> (any Error)? { thenable.error }

private func deliver<P: Thenable>(_ thenable: P, to body: @escaping @Sendable (Result<P.T>) -> Void) {
    thenable.pipe { body(Result($0)) }
}
