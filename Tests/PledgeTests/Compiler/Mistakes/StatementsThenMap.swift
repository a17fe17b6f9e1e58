import Pledge

// error: cannot infer type of closure parameter 'attributes' without a type annotation
// Swift checks a closure of several statements only after the rest of the chain.

private func program() {
    exist.user().then { user, _ in
        print(user.username)
        return exist.attributes(names: [user.username])
    }.map { attributes, _ in attributes.cuont }.done { print($0) }.cauterize()
}
