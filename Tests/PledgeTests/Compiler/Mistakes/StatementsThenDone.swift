import Pledge

// error: cannot infer type of closure parameter '$0' without a type annotation
// Swift checks a closure of several statements only after the rest of the chain.

private func program() {
    number().then { number in
        let next = number + 1
        return text(of: next)
    }.done { print($0.count) }.cauterize()
}
