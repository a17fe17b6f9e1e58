/// Runs a closure when it is released.
final class AtEnd: Sendable {
    private let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    /// Lets a closure capture it.
    func stay() {}

    deinit { run() }
}
