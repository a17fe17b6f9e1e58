import Testing

/// Waits for what happens soon on a thread that cannot be joined, such as a server's, or Swift's own when it releases a
/// task.
package enum Wait {
    /// Returns once `condition` holds. Records an issue if it has not after a minute.
    ///
    /// Nothing announces the moment, so it looks again every millisecond, and leaves the processor to those it waits for.
    package static func until(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
        let end = ContinuousClock.now + .seconds(60)
        while !condition() {
            guard ContinuousClock.now < end else {
                Issue.record("the condition never held", sourceLocation: sourceLocation)
                return
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
