import Pledge

// error: has no member 'usernmae'

private func program() {
    exist.user().map { user, _ in user.usernmae }.done { name in print(name) }.cauterize()
}
