/// Pending promises that stay so until they are let go.
struct Held {
    /// Settles them, and waits until that is through.
    let settle: () -> Void
}
