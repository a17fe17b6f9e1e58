import Pledge

// error: 'value' is unavailable: write Promise.value(…), or a map that returns the value itself

private func program() {
    number().then { .value($0 + 1) }.done { print($0) }.cauterize()
}
