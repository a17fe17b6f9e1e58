/// A promise made by an operator, with the caller's closure in it: so a hop costs one allocation.
///
/// What to do with the closure is in the job, not in a method: a method of a generic class is never specialised.
@usableFromInline
final class _Derived<Input, Product, T: Sendable>: Promise<T>, @unchecked Sendable {
    // Unchecked: `body` is touched only by who has taken the job.

    /// The caller's closure, until it was called or is not wanted any more.
    @exclusivity(unchecked) @usableFromInline var body: (@Sendable (Input) throws -> Product)?

    @inlinable
    init(role: Role, body: @escaping @Sendable (Input) throws -> Product, job: @escaping Job) {
        self.body = body
        super.init(role: role, job: job)
    }

    @inlinable
    func takeBody() -> @Sendable (Input) throws -> Product {
        body.take().unsafelyUnwrapped
    }

    override func letBodyGo() {
        body = nil
    }
}

/// The same for a closure that returns nothing, which as a ``_Derived`` would need a second one around it.
@usableFromInline
final class _Passing<Input, T: Sendable>: Promise<T>, @unchecked Sendable {
    // Unchecked: `body` is touched only by who has taken the job.

    /// The caller's closure, until it was called or is not wanted any more.
    @exclusivity(unchecked) @usableFromInline var body: (@Sendable (Input) throws -> Void)?

    @inlinable
    init(role: Role, body: @escaping @Sendable (Input) throws -> Void, job: @escaping Job) {
        self.body = body
        super.init(role: role, job: job)
    }

    @inlinable
    func takeBody() -> @Sendable (Input) throws -> Void {
        body.take().unsafelyUnwrapped
    }

    override func letBodyGo() {
        body = nil
    }
}
