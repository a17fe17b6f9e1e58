import Pledge

// error: has no member 'cuont'

private func program() {
    exist.user().then { user, _ in exist.attributes(names: ["mood"]) }.done { attributes, _ in print(attributes.cuont) }
        .cauterize()
}
