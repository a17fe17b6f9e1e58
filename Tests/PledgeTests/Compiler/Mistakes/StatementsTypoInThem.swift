import Pledge

// error: has no member 'usernmae'

private func program() {
    exist.user().then { user, _ in
        print(user.usernmae)
        return exist.attributes(names: [])
    }.done { attributes, _ in print(attributes) }.cauterize()
}
