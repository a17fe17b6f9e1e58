import Pledge

// error: requires the types 'Int' and '()' be equivalent
// Swift reports a list of promises without a value, which has a form of its own; its second error counts the arguments.

private func program() {
    let (a, b) = (number(), number())
    when(fulfilled: [a, b]).then { x, y in text(of: x + y) }.done { print($0) }.cauterize()
}
