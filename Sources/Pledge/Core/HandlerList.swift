/// Handlers in the order they came, linked through themselves, so that a list costs no memory of its own.
///
/// A ring, of which only the last is known; its `next` is the first. The list owns what is in it, by hand: letting the
/// compiler count references here would double what a hop costs. Copies of a list are the same list; whoever takes one
/// over empties the other. Guarded by its owner's lock.
struct HandlerList {
    private var last: Unmanaged<_AnyPromise>?

    var isEmpty: Bool {
        @inline(__always) get { last == nil }
    }

    /// Is there one and no more?
    var isSingle: Bool {
        guard let last else { return false }
        return last._withUnsafeGuaranteedRef { $0.next?.toOpaque() } == last.toOpaque()
    }

    /// Adds a handler, which from now on belongs to this list.
    @inline(__always)
    mutating func append(_ handler: Unmanaged<_AnyPromise>) {
        handler._withUnsafeGuaranteedRef { $0.next = last?._withUnsafeGuaranteedRef { $0.next } ?? handler }
        last?._withUnsafeGuaranteedRef { $0.next = handler }
        last = handler
    }

    /// Adds a handler before all others.
    mutating func prepend(_ handler: Unmanaged<_AnyPromise>) {
        let end = last
        append(handler)
        // The last of a ring comes before its first.
        if let end { last = end }
    }

    /// Adds all of another list, which must not be used any more.
    @inline(__always)
    mutating func append(contentsOf other: HandlerList) {
        guard let end = other.last else { return }
        if let last {
            let first = last._withUnsafeGuaranteedRef { $0.next }
            last._withUnsafeGuaranteedRef { $0.next = end._withUnsafeGuaranteedRef { $0.next } }
            end._withUnsafeGuaranteedRef { $0.next = first }
        }
        last = end
    }

    /// Takes the first handler out, and hands over what the list owned: the caller is to release it, but not under a
    /// lock, as foreign code may run as it goes.
    @inline(__always)
    mutating func popFirst() -> Unmanaged<_AnyPromise>? {
        guard let last, let first = last._withUnsafeGuaranteedRef({ $0.next }) else { return nil }
        if first.toOpaque() == last.toOpaque() {
            self.last = nil
        } else {
            last._withUnsafeGuaranteedRef { $0.next = first._withUnsafeGuaranteedRef { $0.next } }
        }
        return first
    }

    /// Takes everything out.
    @inline(__always)
    mutating func takeAll() -> HandlerList {
        let all = self
        self = HandlerList()
        return all
    }

    /// Looks at one after the other until told to stop.
    func visit(_ isEnough: (_AnyPromise) -> Bool) {
        var current = last?._withUnsafeGuaranteedRef { $0.next }
        while let handler = current {
            if handler._withUnsafeGuaranteedRef(isEnough) || handler.toOpaque() == last?.toOpaque() { return }
            current = handler._withUnsafeGuaranteedRef { $0.next }
        }
    }
}
