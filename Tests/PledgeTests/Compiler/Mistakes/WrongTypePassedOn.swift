import Pledge

// error: cannot convert value of type 'Int' to expected argument type 'String'

private func program() {
    text(of: 1).map { $0.count }.done { show($0) }.cauterize()
}
