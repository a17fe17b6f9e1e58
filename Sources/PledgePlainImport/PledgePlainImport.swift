@_exported import Pledge

// What a file finds that says `import PledgePromiseKit` and no more: names that say what is missing. They hide Pledge's,
// as PledgePromiseKit's own hide these; beside another import of Pledge, they are ambiguous. Deprecated rather than
// unavailable, because Swift leaves an unavailable declaration out where there is another.

/// Says that the import lacks `@_spi(PromiseKit)`.
@available(*, deprecated, message: "write `@_spi(PromiseKit) import PledgePromiseKit`") public struct Promise<T> {}

/// Says that the import lacks `@_spi(PromiseKit)`.
@available(*, deprecated, message: "write `@_spi(PromiseKit) import PledgePromiseKit`") public struct Guarantee<T> {}

/// Says that the import lacks `@_spi(PromiseKit)`.
@available(*, deprecated, message: "write `@_spi(PromiseKit) import PledgePromiseKit`")
public func firstly<V, U: Thenable<V>>(execute body: () throws -> U) -> Pledge.Promise<V> {
    Pledge.firstly(execute: body)
}

/// Says that the import lacks `@_spi(PromiseKit)`.
@available(*, deprecated, message: "write `@_spi(PromiseKit) import PledgePromiseKit`")
public func firstly<V>(execute body: () -> Pledge.Guarantee<V>) -> Pledge.Guarantee<V> { body() }
