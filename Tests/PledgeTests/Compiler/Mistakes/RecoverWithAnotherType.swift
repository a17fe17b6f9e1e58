import Pledge

// error: requires the types 'Int' and 'String' be equivalent

private func program() {
    number().recover { _ in text(of: 1) }.done { print($0) }.cauterize()
}
