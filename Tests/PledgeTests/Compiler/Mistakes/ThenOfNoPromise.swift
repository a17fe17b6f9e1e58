import Pledge

// error: requires that 'Int' conform to 'Thenable'

private func program() {
    number().then { $0 + 1 }.done { print($0) }.cauterize()
}
