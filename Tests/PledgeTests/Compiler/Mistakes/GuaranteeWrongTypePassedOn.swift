import Pledge

// error: cannot convert value of type 'Int' to expected argument type 'String'

private func program() {
    sureText(of: 1).map { $0.count }.done { show($0) }
}
