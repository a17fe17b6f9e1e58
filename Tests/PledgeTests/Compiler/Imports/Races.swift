import Pledge

// What is wrong in it: races, which only Pledge's own operators call by their name.

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
