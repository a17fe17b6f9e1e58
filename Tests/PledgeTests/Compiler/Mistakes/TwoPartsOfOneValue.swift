import Pledge

// error: expects 1 argument, but 2 were used in closure body

private func program() {
    number().done { number, response in print(number) }.cauterize()
}
