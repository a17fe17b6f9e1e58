import Pledge

// error: expects 1 argument, but 2 were used in closure body

private func program() {
    let (a, b) = (number(), number())
    when(fulfilled: [a, b]).done { x, y in print(x + y) }.cauterize()
}
