/// Waiting for what happens by itself soon, on a thread that nobody can join: Swift's own, when it lets a task go.
package enum Wait {
    /// Gives way to other tasks until `condition` holds, or until it has become clear that it never will.
    package static func until(_ condition: () -> Bool) async {
        for _ in 0..<20_000 where !condition() {
            await Task.yield()
        }
    }
}
