import Pledge

// error: cannot find 'usre' in scope

private func program() {
    firstly { usre() }.then { user, _ in number() }.done { print($0) }.cauterize()
}
