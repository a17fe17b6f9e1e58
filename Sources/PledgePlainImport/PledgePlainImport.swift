@_exported import Pledge

// The declarations that a file sees if it imports PledgePromiseKit without `@_spi(PromiseKit)`. Each declaration tells
// the user what is missing in the import.
//
// These declarations hide Pledge's declarations of the same names. In a file with the right import, PledgePromiseKit's
// own declarations hide the declarations here. In a file that also imports Pledge in another way, the names are
// ambiguous.
//
// The declarations are marked as deprecated and not as unavailable, because Swift ignores an unavailable declaration if
// there is another one of the same name.

/// Stands in for Pledge's type of this name, and warns that the import of PledgePromiseKit lacks `@_spi(PromiseKit)`.
@available(*, deprecated, message: "write `@_spi(PromiseKit) import PledgePromiseKit`") public struct Promise<T> {}

/// Stands in for Pledge's type of this name, and warns that the import of PledgePromiseKit lacks `@_spi(PromiseKit)`.
@available(*, deprecated, message: "write `@_spi(PromiseKit) import PledgePromiseKit`") public struct Guarantee<T> {}

/// Works as Pledge's function of this name, but warns that the import of PledgePromiseKit lacks `@_spi(PromiseKit)`.
@available(*, deprecated, message: "write `@_spi(PromiseKit) import PledgePromiseKit`")
public func firstly<V, U: Thenable<V>>(execute body: () throws -> U) -> Pledge.Promise<V> {
    Pledge.firstly(execute: body)
}

/// Works as Pledge's function of this name, but warns that the import of PledgePromiseKit lacks `@_spi(PromiseKit)`.
@available(*, deprecated, message: "write `@_spi(PromiseKit) import PledgePromiseKit`")
public func firstly<V>(execute body: () -> Pledge.Guarantee<V>) -> Pledge.Guarantee<V> { body() }
