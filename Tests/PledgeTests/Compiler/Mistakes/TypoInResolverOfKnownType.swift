import Pledge

// error: value of type 'Resolver<Int>' has no member 'fulfil'

private func program() -> Promise<Int> {
    Promise { (seal: Resolver<Int>) in
        let one = 1
        seal.fulfil(one)
    }
}
