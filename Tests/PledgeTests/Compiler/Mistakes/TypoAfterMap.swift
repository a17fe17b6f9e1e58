import Pledge

// error: has no member 'uppercase'

private func program() {
    exist.user().map { user, _ in user.username }.done { name in print(name.uppercase()) }.cauterize()
}
