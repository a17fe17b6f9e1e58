import Pledge

// error: cannot find 'sureTetx' in scope

private func program() {
    sure().then { number in sureTetx(of: number) }.done { text in print(text.count) }
}
