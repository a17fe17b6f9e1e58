/// Guarantees that were cancelled, each because the one below it was, and have let go of their sources.
///
/// Only the last of them asks something that is none. What that does decides for all: if each asked only the next, which
/// is always ready to be cancelled, all would go on waiting for a source that goes on for others.
final class Retreat {
    private var links: [(waiter: _PromiseStorage, source: _PromiseStorage, handler: Handler)] = []

    func add(_ waiter: _PromiseStorage, _ source: _PromiseStorage, _ handler: Handler) {
        links.append((waiter, source, handler))
    }

    /// Has them wait again: now, or once somebody waits for them.
    ///
    /// - Parameter isHeeded: whether the source is going to stop.
    func end(isHeeded: Bool) {
        for (waiter, source, handler) in links.reversed() {
            let (run, place, interest) = (handler.work.body, handler.place, handler.interest)
            waiter.wait(unlessIdle: isHeeded) { waiter in
                let work = Work(promise: waiter, body: run)
                _ = waiter.subscribe(to: source, Handler(work: work, place: place, interest: interest))
            }
        }
        links = []
    }
}
