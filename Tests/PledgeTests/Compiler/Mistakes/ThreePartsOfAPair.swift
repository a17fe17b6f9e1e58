import Pledge

// error: expects 1 argument, but 3 were used in closure body

private func program() {
    exist.user().done { user, response, rest in print(user) }.cauterize()
}
