import Pledge

// warning: result of call to 'done(on:flags:_:)' is unused

private func program() {
    number().done { print($0) }
}
