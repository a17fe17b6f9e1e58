import Pledge

// warning: expression of type 'String' is unused

private func program() {
    exist.user().done { user, _ in user.username }.cauterize()
}
