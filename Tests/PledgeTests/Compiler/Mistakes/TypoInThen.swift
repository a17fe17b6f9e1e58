import Pledge

// error: has no member 'attribtues'

private func program() {
    exist.user().then { user, _ in exist.attribtues(names: ["mood"]) }.done { attributes, _ in print(attributes) }
        .cauterize()
}
