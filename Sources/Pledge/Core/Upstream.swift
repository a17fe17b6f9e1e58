/// What a promise can wait for: another promise, or several of them. A ticket identifies the handler.
enum Upstream {
    case one(PromiseStorage)
    case several(Join)

    /// Removes the handler with this ticket. Returns whether there was one.
    func release(_ ticket: Ticket) -> Bool {
        switch self {
        case .one(let promise): promise.release(ticket)
        case .several(let join): join.release()
        }
    }

    /// Called when the promise that waits with this ticket was canceled: removes its handler or, if that waits on, no
    /// longer counts it. If no dependents are left, this is canceled as well.
    func leave(_ ticket: Ticket, waitingOn: Bool) {
        switch self {
        case .one(let promise): promise.leave(ticket, waitingOn: waitingOn)
        case .several(let join): join.leave(waitingOn: waitingOn)
        }
    }

    func isPromise(_ promise: PromiseStorage) -> Bool {
        if case .one(let one) = self { one === promise } else { false }
    }
}
