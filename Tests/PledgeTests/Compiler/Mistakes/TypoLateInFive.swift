import Pledge

// error: has no member 'cuont'

private func program() {
    exist.user().then { _, _ in exist.attributes(names: []) }.map { list, _ in list.count }.then { text(of: $0) }.get {
        print($0)
    }.done { text in print(text.cuont) }.catch { print($0) }
}
