import Pledge

// error: non-Sendable type 'Counter'

private func program() {
    let counter = Counter()
    number().done { counter.count += $0 }.cauterize()
}
