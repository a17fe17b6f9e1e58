import Pledge

// error: 'value' is unavailable: write Promise.value(…), or a map that returns the value itself

private func program() {
    number().then { number in .value(number + 1) }.map { $0 + 1 }.then { text(of: $0) }.done { print($0) }.cauterize()
}
