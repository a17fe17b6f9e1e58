import Pledge

// error: value of type 'String' has no member 'cuont'

private func program() {
    number().then { text(of: $0) }.get { print($0) }.map { $0.cuont }.then { text(of: $0) }.get { print($0) }
        .map { $0.count }.then { text(of: $0) }.done { text in print(text) }.cauterize()
}
