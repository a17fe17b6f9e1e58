import Pledge

// error: cannot find 'spiner' in scope

private func program() {
    number().ensure { spiner = false }.done { print($0) }.cauterize()
}
