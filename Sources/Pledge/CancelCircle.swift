extension PromiseStorage {
    /// Looks for a circle of canceled promises that wait for one another, beginning at this promise and going up. If
    /// there is a circle, ends the wait of one promise in it. Returns whether there was a circle.
    ///
    /// A cancel that arrives at a promise that was already canceled goes no further, and calls this method for that
    /// promise. The last cancel that reaches a circle also ends in this way. At that time, all promises of the circle
    /// are canceled, so this method finds the circle.
    final func breakCircle() -> Bool {
        // A depth-first search. `isOpen` is true for the promises on the path to the current promise, and false for
        // those that are done. The stack has the path, and the promises beside it that are still to be visited.
        var stack = [self]
        var isOpen = [ObjectIdentifier: Bool]()
        while let promise = stack.last {
            let isNew = isOpen[ObjectIdentifier(promise)] == nil
            isOpen[ObjectIdentifier(promise)] = isNew
            if !isNew { stack.removeLast() }
            let source = promise.withState { isNew && $0.has(.cancelled) ? $0.source : nil }
            for next in source?.promises ?? [] where isOpen[ObjectIdentifier(next)] != false {
                guard isOpen[ObjectIdentifier(next)] == true else {
                    stack.append(next)
                    continue
                }
                let circle = stack.drop { $0 !== next }.filter { isOpen[ObjectIdentifier($0)] == true }
                // The search entered the circle at its first promise, and went up from there to the last promise. The
                // last promise waits for the first one. Guarantees are skipped, because they can't reject.
                guard let top = circle.last(where: { $0.withState { !$0.has(.guarantee) } }) else { continue }
                if top.withState({ $0.has(.ensure) }) { top.cleanUp() } else { top.rejectCanceled() }
                return true
            }
        }
        return false
    }
}
