@_exported import Pledge

// What a file finds that says `import PledgePromiseKit`: names that say what it has to say. PledgePromiseKit's own
// declarations of the same names, for files that do, are preferred to these, as these are to Pledge's.

/// Not available without `@_spi(PromiseKit)` before the import.
@available(*, unavailable, message: "say `@_spi(PromiseKit) import PledgePromiseKit` in this file")
public struct Promise<T> {}

/// Not available without `@_spi(PromiseKit)` before the import.
@available(*, unavailable, message: "say `@_spi(PromiseKit) import PledgePromiseKit` in this file")
public struct Guarantee<T> {}

/// Not available without `@_spi(PromiseKit)` before the import.
@available(*, unavailable, message: "say `@_spi(PromiseKit) import PledgePromiseKit` in this file")
public func firstly<V, U: Thenable<V>>(execute body: () throws -> U) -> Pledge.Promise<V> {
    Pledge.firstly(execute: body)
}

/// Not available without `@_spi(PromiseKit)` before the import.
@available(*, unavailable, message: "say `@_spi(PromiseKit) import PledgePromiseKit` in this file")
public func firstly<V>(execute body: () -> Pledge.Guarantee<V>) -> Pledge.Guarantee<V> { body() }
