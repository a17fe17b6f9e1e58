import Pledge

// error: incorrect argument label

private func program() {
    number().then { text(from: $0) }.done { print($0) }.cauterize()
}
