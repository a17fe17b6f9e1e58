import Pledge

// error: value of type 'Int' has no member 'cuont'

private func program() {
    number().then { text(of: $0) }.get { print($0) }.map { $0.count }.then { text(of: $0) }.get { print($0) }
        .map { $0.count }.then { text(of: $0) }.get { print($0) }.map { $0.count }.done { print($0.cuont) }.cauterize()
}
