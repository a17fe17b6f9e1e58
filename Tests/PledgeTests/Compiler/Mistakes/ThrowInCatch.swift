import Pledge

// error: invalid conversion from throwing function

private func program() {
    number().done { print($0) }.catch { _ in print(try parse("")) }
}
