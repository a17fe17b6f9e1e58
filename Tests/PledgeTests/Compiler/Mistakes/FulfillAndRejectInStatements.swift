import Pledge

// error: 'init(_:)' is unavailable: the closure has one parameter, a resolver

private func program(_ isDone: Bool) -> Promise<Int> {
    Promise<Int> { fulfill, reject in
        if isDone { fulfill(1) } else { reject(PromiseError.cancelled) }
    }
}
