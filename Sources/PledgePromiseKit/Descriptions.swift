// Promises as PromiseKit describes them: with the value or the error, which Pledge's `description` leaves out, and as
// pending if the resolver was released unused. A type conforms only once, so `String(describing:)` still uses Pledge's.

@_spi(PromiseKit) extension Promise {
    /// The value or the error of the promise, as PromiseKit prints it.
    public var description: String {
        switch outcome {
        case nil: "Promise(…\(T.self))"
        case .fulfilled(let value): "Promise(\(value))"
        case .rejected(let error): "Promise(\(error))"
        }
    }

    /// The type and state of the promise, with its value, its error, or the number of its handlers.
    public var debugDescription: String {
        switch outcome {
        case nil: "Promise<\(T.self)>.pending(handlers: \(_handlerCount))"
        case .fulfilled(let value): "Promise<\(T.self)>.fulfilled(\(value))"
        case .rejected(let error): "Promise<\(T.self)>.rejected(\(type(of: error)).\(error))"
        }
    }

    /// The outcome that PromiseKit would have: nil if the resolver was released unused.
    private var outcome: Result<T>? {
        if case .failure(PromiseError.dropped) = _seen { nil } else { _seen.map(Result.init) }
    }
}

@_spi(PromiseKit) extension DefaultStringInterpolation {
    /// Appends a promise as PromiseKit prints it.
    public mutating func appendInterpolation<T>(_ promise: Promise<T>) { appendLiteral(promise.description) }
}
