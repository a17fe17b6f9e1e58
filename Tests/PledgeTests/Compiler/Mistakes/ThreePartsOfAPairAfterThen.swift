import Pledge

// error: expects 1 argument, but 3 were used in closure body

private func program() {
    exist.user().then { _, _ in exist.attributes(names: []) }.done { a, b, c in print(a) }.cauterize()
}
