import Pledge

// error: has no member 'usernmae'

private func program() {
    exist.user().done { user, _ in print(user.usernmae) }.cauterize()
}
