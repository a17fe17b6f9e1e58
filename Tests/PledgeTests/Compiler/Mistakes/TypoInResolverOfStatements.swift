import Pledge

// error: initializer 'init(_:)' requires the types 'Int' and '((_) -> ()).T' be equivalent
// Swift reports the initializer that takes a promise.

private func program() -> Promise<Int> {
    Promise { seal in
        let one = 1
        seal.fulfil(one)
    }
}
