/// The part of a promise that holds its value.
///
/// A class of its own so that its type argument is the type of its field: then the way to destroy the field lies in
/// the class's metadata. In `Promise<T>` itself, each deinit would ask the runtime for the metadata of `T?`, which
/// costs a seventh of a hop. This class is public only because `Promise` inherits from it. It is not API.
public class _Holder<Value>: _AnyPromise, @unchecked Sendable {
    // Unchecked: `storedValue` is written once under the lock, before the state says so.

    /// The value, once fulfilled. Read by handlers, which run after it was written.
    @exclusivity(unchecked) @usableFromInline final var storedValue: Value

    @inlinable
    init(role: Role, job: Job?, storedValue: Value, isMadeFulfilled: Bool = false) {
        self.storedValue = storedValue
        super.init(role: role, job: job, isMadeFulfilled: isMadeFulfilled)
    }
}

/// A value, once there is one.
///
/// Not just an optional: the runtime knows of a structure whether there is anything to destroy in it, but asks an
/// optional each time. It is not API.
public struct _Slot<T> {
    @usableFromInline let value: T?

    @inlinable
    init(_ value: T?) {
        self.value = value
    }
}
