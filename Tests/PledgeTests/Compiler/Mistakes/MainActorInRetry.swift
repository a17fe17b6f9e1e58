import Pledge

// error: call to main actor-isolated instance method 'load()' in a synchronous nonisolated context
// Swift knows a closure of retry only as one that may run anywhere.

extension Screen {
    fileprivate func retried() { retry(attempts: 3) { self.load() }.cauterize() }
    private func load() -> Promise<Int> { .value(label.count) }
}
