import Pledge

// error: mutation of captured var 'sum'

private func program() {
    var sum = 0
    sure().done { sum += $0 }
    print(sum)
}
