/// An outcome with PromiseKit's two cases. Swift's own type, of two parameters, is `Swift.Result` where this is imported.
public enum Result<T> {
    /// There is a value, which is this.
    case fulfilled(T)
    /// There is an error instead.
    case rejected(any Error)

    /// True if there is a value.
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

extension Resolver {
    /// Settles the promise with an outcome.
    public func resolve(_ result: Result<T>) {
        switch result {
        case .fulfilled(let value): fulfill(value)
        case .rejected(let error): reject(error)
        }
    }
}

extension Promise {
    /// The outcome, or nil while there is none. Looking at an error this way counts as having handled it.
    public var result: Result<T>? { outcome(of: self) }

    /// The error, if rejected. Looking at it this way counts as having handled it.
    public var error: (any Error)? { failure(of: self).map(PMKError.from) }

    /// Calls `body` with the outcome, once.
    ///
    /// - Parameter body: runs in the thread that settles the promise, or at once if that has been.
    @preconcurrency
    public func pipe(to body: @escaping @Sendable (Result<T>) -> Void) { deliver(self, to: body) }
}

extension Guarantee {
    /// The outcome, or nil while there is none.
    public var result: Result<T>? { outcome(of: self) }

    /// Calls `body` with the outcome, once.
    ///
    /// - Parameter body: runs in the thread that fulfills the guarantee, or at once if that has been.
    @preconcurrency
    public func pipe(to body: @escaping @Sendable (Result<T>) -> Void) { deliver(self, to: body) }
}

// Of any kind, as members of one's own come before those of Pledge.

private func outcome<P: Thenable>(of thenable: P) -> Result<P.T>? { thenable.result.map(Result.init) }

private func failure<P: Thenable>(of thenable: P) -> (any Error)? { thenable.error }

private func deliver<P: Thenable>(_ thenable: P, to body: @escaping @Sendable (Result<P.T>) -> Void) {
    thenable.pipe { body(Result($0)) }
}
