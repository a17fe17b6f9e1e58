import Pledge

// Guarantees: no catch is needed, and none of the results is unused.
func clock() -> Guarantee<Int> { .value(12) }
func reload() -> Promise<Int> { .value(1) }

@MainActor final class Countdown {
    var ticks = 0, label = ""

    func start() {
        after(seconds: 0.01).onMain.done { self.ticks += 1 }
        clock().onMain.map { $0 + self.ticks }.get { self.label = "\($0)" }.then { _ in clock() }
            .done { self.ticks = $0 }
        after(seconds: 0.01).onMain.then { reload() }.done { self.ticks = $0 }.catch { self.label = "\($0)" }
        clock().onMain.map { hour in
            guard hour > 0 else { throw PromiseError.cancelled }
            return hour
        }.done { self.ticks = $0 }.cauterize()
    }
}
