import Pledge

// warning: result of operator '*' is unused

private func program() {
    number().map { number in
        let next = number + 1
        next * 2
    }.done { show($0) }.cauterize()
}
