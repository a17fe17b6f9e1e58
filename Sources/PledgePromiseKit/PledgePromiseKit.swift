@_exported import Pledge

// What exists only for files written for PromiseKit 8: with this import in the place of theirs, they compile. Whoever
// imports Pledge or one of the kits gets none of it.
//
// The folder Handlers has the verbs once more, as thin fronts of Pledge's, because three things are PromiseKit's way here
// and only here:
//
// - `@preconcurrency`. The closures and values of such files were written before there was anything to prove. In the
//   Swift 5 language mode they then compile as they are, even in a class of the main actor; in the Swift 6 mode what
//   would be an error is a warning. On Pledge's own verbs that word would take the errors from everybody, and an error
//   is what the Swift 6 mode is chosen for.
// - A handler that names no queue runs on the main queue, or where `conf.Q` says.
// - What promises themselves reject with arrives as `PMKError`.
//
// They are preferred over Pledge's because they lack `flags:`; a call that gives flags, or `on: MainActor.shared`, is one of
// Pledge's verbs.
