import Pledge

// error: cannot infer contextual base in reference to member 'value'
// Swift checks a closure of several statements only after the rest of the chain.

private func program() {
    number().then { number in
        print(number)
        return .value(number + 1)
    }.done { print($0) }.cauterize()
}
