import Dispatch

extension _AnyPromise {
    /// Where a promise stands. A handler that is no promise becomes `.fulfilled` when it has run.
    @usableFromInline
    enum State: UInt8 {
        case pending, fulfilled, rejected
    }

    /// Where the outcome comes from. One field for both, as a promise has the one or the other.
    enum Origin {
        case none
        /// The promise it waits for, until it runs or is cancelled.
        case source(_AnyPromise)
        /// The error, once rejected.
        case failure(any Error)
    }

    /// What a handler asks for.
    @usableFromInline
    struct Role: OptionSet, Sendable {
        @usableFromInline let rawValue: UInt8

        @inlinable
        init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        // Computed, so that a list of them is a constant.

        /// Its body looks at errors; without this an error passes by on the default executor.
        @inlinable static var rejections: Role { Role(rawValue: 1) }
        /// Its body looks at values.
        @inlinable static var values: Role { Role(rawValue: 2) }
        /// It ends a chain, so it is due on ``PromiseConfiguration``'s return queue; without this, on the map queue.
        @inlinable static var returns: Role { Role(rawValue: 4) }
        /// It is part of an operator, and stays on the default executor whatever the configuration says.
        @inlinable static var plumbing: Role { Role(rawValue: 8) }
        /// Its body runs in any case, also when it is cancelled.
        @inlinable static var always: Role { Role(rawValue: 16) }
        /// It is no promise.
        static var bare: Role { Role(rawValue: 32) }
        /// It has a queue of its own, or flags.
        static var elsewhere: Role { Role(rawValue: 64) }
        /// It runs only if a ``Gather`` says so.
        static var counts: Role { Role(rawValue: 128) }

        /// Can it not just be sent to the default executor with its neighbours?
        var isSpecial: Bool { !isDisjoint(with: [.elsewhere, .counts]) }

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
        /// Cancelled, but it needs the outcome all the same: in the list, and no longer counted as waiting.
        case muted
    }

    /// What has happened to a promise.
    struct Marks: OptionSet {
        let rawValue: UInt8

        /// Somebody waits, or has looked.
        static let observed = Marks(rawValue: 1)
        static let cancelled = Marks(rawValue: 2)
        /// Not all that wait want the default executor.
        static let mixed = Marks(rawValue: 4)
    }

    /// Stops the work behind a promise. What it waits for in turn goes into the list, so that cancelling never
    /// recurses, however deep promises are nested.
    typealias CancelHook = (_ alsoCancel: inout [_AnyPromise]) -> Void

    /// What few promises have, in memory of its own. Guarded by their lock.
    final class Extras {
        /// Where its job runs, if not where all do. Written before the handler is registered.
        var queue: DispatchQueue?
        /// How it is put there. Written before the handler is registered.
        var queueFlags: DispatchWorkItemFlags = []
        var cancelHooks: [CancelHook] = []
        /// What a handler counts for. Written before it is registered.
        var gather: Gather?
        /// Handlers that are linked. Counted only once one of several was cancelled.
        var waiting: Int?
        /// Handlers in the list that were cancelled and wait to be swept out; counted as `waiting` is.
        var detached = 0

        func takeCancelHooks() -> [CancelHook] {
            let hooks = cancelHooks
            cancelHooks = []
            return hooks
        }
    }
}
