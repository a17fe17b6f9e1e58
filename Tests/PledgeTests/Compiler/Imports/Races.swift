import Pledge

// These functions have data races. The compiler reports all of them only if the calls resolve to Pledge's own operators.

final class Counter { var count = 0 }

func races(_ counter: Counter) {
    var sum = 0
    number().done { sum += $0 }.cauterize()
    number().map { $0 + counter.count }.done { counter.count = $0 }.catch { _ in counter.count = 0 }
    print(sum)
}

extension Screen {
    func races() { number().done { self.label = "\($0)" }.cauterize() }
}
