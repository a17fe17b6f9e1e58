import Pledge

// error: 'init(_:)' is unavailable: the closure has one parameter, a resolver

private func program() -> Promise<Int> {
    Promise { fulfill, reject in fulfill(1) }
}
