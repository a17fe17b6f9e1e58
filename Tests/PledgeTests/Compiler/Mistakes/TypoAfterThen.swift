import Pledge

// error: value of type '[Attribute]' has no member 'cuont'

private func program() {
    exist.user().then { user, _ in exist.attributes(names: [user.username]) }.done { attributes, _ in
        print(attributes.cuont)
    }.cauterize()
}
