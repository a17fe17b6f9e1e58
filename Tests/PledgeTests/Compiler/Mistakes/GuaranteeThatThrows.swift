import Pledge

// error: invalid conversion from throwing function

private func program() {
    let _: Guarantee<Int> = sureText(of: 1).map { try parse($0) }
}
