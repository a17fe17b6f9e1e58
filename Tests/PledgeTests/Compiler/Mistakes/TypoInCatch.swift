import Pledge

// error: has no member 'cod'

private func program() {
    number().done { print($0) }.catch { error in print(error.cod) }
}
