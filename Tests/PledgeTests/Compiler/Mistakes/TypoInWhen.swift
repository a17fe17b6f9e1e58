import Pledge

// error: has no member 'usernmae'

private func program() {
    when(fulfilled: exist.user(), exist.attributes(names: ["mood"])).done { user, attributes in
        print(user.user.usernmae, attributes.attributes.count)
    }.cauterize()
}
