import Pledge

// error: call can throw, but it is not marked with 'try'

private func program() {
    text(of: 1).map { parse($0) }.done { print($0) }.cauterize()
}
