@_exported import PledgePlainImport
import Pledge

// Declarations for files written for PromiseKit 8: with `@_spi(PromiseKit) import PledgePromiseKit` in place of
// PromiseKit's, they compile. Every declaration is marked `@_spi(PromiseKit)`, because Swift shows the members that an
// extension adds to all files of a target, and to all that depend on it: so marked, only to files that say so.
//
// The folder Handlers declares the chain methods again, as thin wrappers around Pledge's, because three things follow
// PromiseKit here and only here:
//
// - `@preconcurrency`. The closures and values of such files predate concurrency checking. In the Swift 5 language mode
//   they compile unchanged, even in a class of the main actor; in the Swift 6 mode what would be an error is a warning.
//   On Pledge's own methods, the attribute would hide these errors from everyone, and they are the reason to choose the
//   Swift 6 mode.
// - A handler without a queue runs on the main queue, or on the queue of `conf.Q`.
// - Errors that promises themselves reject with arrive as `PMKError`.
//
// They are preferred over Pledge's, which are disfavored; a call with flags uses Pledge's methods.

// Documented where they are declared.
@_documentation(visibility: internal) @_spi(PromiseKit) public typealias Promise = Pledge.Promise
@_documentation(visibility: internal) @_spi(PromiseKit) public typealias Guarantee = Pledge.Guarantee

/// Begins a chain with the promise that a closure returns; see Pledge's function of that name.
@_spi(PromiseKit) @_disfavoredOverload public func firstly<V, U: Thenable<V>>(
    execute body: () throws -> U
) -> Promise<V> { Pledge.firstly(execute: body) }

/// Begins a chain that can't fail with the guarantee that a closure returns.
@_spi(PromiseKit) @_disfavoredOverload public func firstly<V>(
    execute body: () -> Guarantee<V>
) -> Guarantee<V> { body() }
