import Pledge

// error: cannot convert value of type '@Sendable (String) -> Int' to expected argument type

private func program() {
    number().map { (text: String) in text.count }.done { print($0) }.cauterize()
}
