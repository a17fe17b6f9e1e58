import Pledge

// error: has no member 'usernmae'

private func program() {
    exist.user().map { user, _ in user.usernmae }.then { name in text(of: 1) }.done { print($0 + "!") }.cauterize()
}
