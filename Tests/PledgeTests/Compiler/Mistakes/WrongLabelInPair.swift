import Pledge

// error: incorrect argument label

private func program() {
    exist.user().then { user, _ in exist.attributes(name: [user.username]) }.done { attributes, _ in print(attributes) }
        .cauterize()
}
