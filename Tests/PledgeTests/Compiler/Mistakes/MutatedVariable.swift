import Pledge

// error: mutation of captured var 'sum'

private func program() {
    var sum = 0
    number().done { sum += $0 }.cauterize()
    print(sum)
}
