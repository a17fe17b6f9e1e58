import Pledge

// error: type '()' cannot conform to 'Thenable'
// Swift does not look for a missing return in a closure whose result type it infers.

private func program() {
    number().then { number in
        let next = number + 1
        text(of: next)
    }.done { print($0) }.cauterize()
}
