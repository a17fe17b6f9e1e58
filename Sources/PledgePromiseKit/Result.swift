/// An outcome with PromiseKit's two cases. With this import, Swift's type of two parameters is `Swift.Result`.
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
    /// Settles the promise with an outcome.
    public func resolve(_ result: Result<T>) {
        switch result {
        case .fulfilled(let value): fulfill(value)
        case .rejected(let error): reject(error)
        }
    }
}

@_spi(PromiseKit) extension Promise {
    /// The outcome, or nil while the promise is pending. Reading an error this way counts as handling it.
    public var result: Result<T>? { outcome(of: self) }

    /// The error, if the promise was rejected. Reading it this way counts as handling it.
    public var error: (any Error)? { failure(of: self).map(PMKError.from) }

    /// Calls `body` once with the outcome, on the thread that settles the promise, or at once if it has settled.
    @preconcurrency public func pipe(to body: @escaping @Sendable (Result<T>) -> Void) { deliver(self, to: body) }
}

@_spi(PromiseKit) extension Guarantee {
    /// The outcome, or nil while the guarantee is pending.
    public var result: Result<T>? { outcome(of: self) }

    /// Calls `body` once with the outcome, on the thread that fulfills the guarantee, or at once if it is fulfilled.
    @preconcurrency public func pipe(to body: @escaping @Sendable (Result<T>) -> Void) { deliver(self, to: body) }
}

// Generic over all thenables, as members declared in this module are preferred over Pledge's.

private func outcome<P: Thenable>(of thenable: P) -> Result<P.T>? { thenable.result.map(Result.init) }

private func failure<P: Thenable>(of thenable: P) -> (any Error)? { thenable.error }

private func deliver<P: Thenable>(_ thenable: P, to body: @escaping @Sendable (Result<P.T>) -> Void) {
    thenable.pipe { body(Result($0)) }
}
