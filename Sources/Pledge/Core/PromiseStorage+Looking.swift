extension _PromiseStorage {
    /// Whether it is fulfilled, or nil while it is pending.
    ///
    /// - Parameter isHandled: whether looking at an error counts as having handled it.
    @usableFromInline
    final func _look(handling isHandled: Bool = true) -> Bool? {
        lock()
        let phase = state.phase
        if isHandled, phase != .pending { state.set(.observed) }
        unlock()
        return phase == .pending ? nil : phase == .fulfilled
    }

    @usableFromInline
    final var _isPending: Bool { withState { $0.phase == .pending } }

    /// Was it cancelled? If it outlives that, it may still be pending.
    @usableFromInline
    final var _isCancelled: Bool { withState { $0.has(.cancelled) } }

    /// Says whether a cancel leaves it to its source, or its `ensure`, to settle it.
    @usableFromInline
    final func _setOutlivesCancel(_ outlives: Bool) { withState { $0.set(.outlivesCancel, outlives) } }

    /// Has its error count as handled.
    final func _markObserved() { withState { $0.set(.observed) } }
}
