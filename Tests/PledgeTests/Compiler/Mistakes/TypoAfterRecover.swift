import Pledge

// error: has no member 'cuont'

private func program() {
    text(of: 1).recover { error in text(of: 2) }.done { print($0.cuont) }.cauterize()
}
