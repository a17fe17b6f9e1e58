import Pledge

// error: has no member 'count'

private func program() {
    exist.user().then { _, _ in exist.attributes(names: []) }.done { attributes in print(attributes.count) }.cauterize()
}
