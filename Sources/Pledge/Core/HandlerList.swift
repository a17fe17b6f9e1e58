/// Handlers in the order they came, linked through themselves, so that a list costs no memory of its own.
///
/// It owns what is in it, by hand: letting the compiler count references here would double what a hop costs. Copies
/// of a list are the same list; whoever takes one over empties the other. Guarded by its owner's lock.
struct HandlerList {
    private var first: Unmanaged<_Handler>?
    private var last: Unmanaged<_Handler>?

    var isEmpty: Bool {
        @inline(__always) get { first == nil }
    }

    /// Adds a handler, which from now on belongs to this list.
    @inline(__always)
    mutating func append(_ handler: Unmanaged<_Handler>) {
        link(handler, handler)
    }

    /// Adds all of another list, which must not be used any more.
    @inline(__always)
    mutating func append(contentsOf other: HandlerList) {
        if let first = other.first, let last = other.last { link(first, last) }
    }

    @inline(__always)
    private mutating func link(_ first: Unmanaged<_Handler>, _ last: Unmanaged<_Handler>) {
        if let tail = self.last {
            tail._withUnsafeGuaranteedRef { $0.next = first }
        } else {
            self.first = first
        }
        self.last = last
    }

    /// Takes the first handler out, and hands over what the list owned: the caller is to release it, but not under a
    /// lock, as foreign code may run as it goes.
    @inline(__always)
    mutating func popFirst() -> Unmanaged<_Handler>? {
        guard let head = first else { return nil }
        first = head._withUnsafeGuaranteedRef { $0.next }
        if first == nil { last = nil }
        head._withUnsafeGuaranteedRef { $0.next = nil }
        return head
    }

    /// Takes everything out.
    @inline(__always)
    mutating func takeAll() -> HandlerList {
        let all = self
        self = HandlerList()
        return all
    }
}
