import Dispatch

/// Something that waits for a promise: the link between a promise and what is to happen with its outcome.
///
/// A derived promise *is* the handler it registers upstream, so that a hop costs two allocations: the promise, and
/// the closure with the caller's body. Handlers are linked through `next`, first in their promise's list and then in
/// the delivery queue; a handler is in one list at a time.
///
/// This class is public only because `Promise` inherits from it. It is not API.
public class _Handler: @unchecked Sendable {
    // Unchecked: every field says below which lock guards it, or that it is written before the handler is shared.

    @usableFromInline
    typealias Job = (_ handler: _Handler, _ source: _AnyPromise) -> Void

    /// Where a promise stands. A handler that is no promise becomes `.fulfilled` when it has run.
    @usableFromInline
    enum State: UInt8 {
        case pending, fulfilled, rejected
    }

    /// What a handler asks for. Written once, before it is registered.
    @usableFromInline
    struct Role: OptionSet, Sendable {
        @usableFromInline let rawValue: UInt8

        @usableFromInline
        init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Its body looks at errors; without this an error passes by on the default executor.
        @usableFromInline static let rejections = Role(rawValue: 1)
        /// Its body looks at values.
        @usableFromInline static let values = Role(rawValue: 2)
        /// It ends a chain, so it is due on ``PromiseConfiguration``'s return queue; without this, on the map queue.
        @usableFromInline static let returns = Role(rawValue: 4)
        /// It is part of an operator, and stays on the default executor whatever the configuration says.
        @usableFromInline static let plumbing = Role(rawValue: 8)
        /// It is a promise.
        static let promise = Role(rawValue: 32)
        /// Its body runs in any case, also when it is cancelled.
        @usableFromInline static let always = Role(rawValue: 16)

        /// Is its body going to be called for this outcome? If not, its queue need not be troubled.
        @inline(__always)
        func cares(about outcome: State) -> Bool {
            contains(outcome == .rejected ? .rejections : .values)
        }
    }

    /// Where a handler stands in the list of the promise it waits for.
    enum Link: UInt8 {
        case unlinked, linked
        /// No longer interested; still in the list until that is swept.
        case detached
        /// Cancelled, but it needs the outcome all the same: in the list, and no dependent.
        case muted
    }

    /// What follows in the list it is in: guarded by the lock of that list's owner, which also owns what follows.
    @exclusivity(unchecked) final var next: Unmanaged<_Handler>?
    /// The promise it waits for, until it runs or is cancelled: guarded by its own lock.
    @exclusivity(unchecked) final var upstream: _AnyPromise?
    /// What to do then: guarded by its own lock.
    @exclusivity(unchecked) @usableFromInline final var job: Job?
    /// Where to do it; nil for the default executor. Written before it is registered.
    @exclusivity(unchecked) final var queue: DispatchQueue?
    @exclusivity(unchecked) final var queueFlags: UInt8 = 0
    @exclusivity(unchecked) final var role: Role
    /// Guarded by its own lock.
    @exclusivity(unchecked) @usableFromInline final var state = State.pending
    /// Guarded by the lock of the promise it waits for.
    @exclusivity(unchecked) final var link = Link.unlinked

    /// A handler of ours, that is no promise.
    convenience init(_ job: Job? = nil) {
        self.init(role: [.values, .rejections, .plumbing], isPromise: false, job: job)
    }

    init(role: Role, isPromise: Bool, job: Job?) {
        self.role = isPromise ? role.union(.promise) : role.subtracting(.promise)
        self.job = job
    }

    /// Is it a promise, which its job settles?
    final var isPromise: Bool { role.contains(.promise) }

    /// Does what it was registered for, unless it was cancelled meanwhile. Called once, off every lock.
    final func run() {
        lock()
        let source = upstream.take()
        let job = job.take()
        let isDue = state == .pending
        if isDue, !isPromise { state = .fulfilled }
        unlock()
        guard isDue, let source, let job else { return }
        if isPromise, !role.contains(.rejections), let error = source.failure {
            unsafeDowncast(self, to: _AnyPromise.self)._reject(error)
        } else {
            job(self, source)
        }
    }
}
