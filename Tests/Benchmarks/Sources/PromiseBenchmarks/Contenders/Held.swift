/// Promises that stay pending until they are settled with `settle`.
struct Held {
    /// Settles the promises, and waits until all handlers have run.
    let settle: () -> Void
}
