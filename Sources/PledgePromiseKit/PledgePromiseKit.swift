@_exported import Pledge

// Declarations for files written for PromiseKit 8: with this import in place of PromiseKit's, they compile. A file that
// imports Pledge or one of the kits gets none of them.
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
// They are preferred over Pledge's, which are disfavored; a call with flags or `on: MainActor.shared` uses
// Pledge's methods.
