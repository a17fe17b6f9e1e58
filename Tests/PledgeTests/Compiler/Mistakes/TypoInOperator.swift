import Pledge

// error: has no member 'don'

private func program() {
    exist.user().then { _, _ in number() }.don { print($0) }.cauterize()
}
