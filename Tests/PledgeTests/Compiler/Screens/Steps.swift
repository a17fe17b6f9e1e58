import Pledge

// Chains of guarantees. They need no catch, and the compiler doesn't warn that a result is unused.
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

// Uploads. Their attempts begin on the main actor, and two uploads run at a time.
@MainActor final class Upload {
    var progress = 0, busy = false, names: [String] = []

    func send(_ name: String) -> Promise<String> {
        progress += 1
        return .value(name)
    }

    func sendAll() {
        busy = true
        retry(attempts: 3) { onMain { self.send("a") } }.onMain.done { self.names = [$0] }.cauterize()
        when(fulfilled: ["a", "b"], concurrently: 2) { name in onMain { self.send(name) } }.onMain
            .done { self.names = $0 }.ensure { self.busy = false }.cauterize()
    }
}

// A wizard. It has a chain of ten operators, and a chain with a time limit and a policy that includes cancellation.
struct Step: Sendable { var number = 0 }
func next(_ step: Step) -> Promise<Step> { .value(Step(number: step.number + 1)) }
func write(_ text: String) -> Promise<Void> { Promise() }

@MainActor final class Wizard {
    var step = Step(), log: [String] = [], isOver = false, delegate: (any WizardDelegate)?

    func run() {
        firstly { next(step) }.onMain.then { step in
            self.step = step
            return next(step)
        }.get { step in self.log.append("\(step.number)") }.then { step in next(step) }
            .map { step in step.number + self.log.count }.then { number in write("\(number)") }
            .ensure { self.log.append("over") }.done { self.delegate?.ended() }
            .catch { error in self.log.append("\(error)") }.finally { self.isOver = true }
    }
    func hurry() {
        next(step).timeout(seconds: 1).onMain.done { self.step = $0 }
            .catch(policy: .allErrors) { _ in self.isOver = true }
    }
}
@MainActor protocol WizardDelegate: AnyObject { func ended() }

// A callback wrapped in a promise. The closure with the resolver runs on the main actor; the cancel hook may run anywhere.
final class Device: Sendable {
    func shoot(_ done: @escaping @Sendable (Int?, (any Error)?) -> Void) { done(7, nil) }
    func stop() {}
}

@MainActor final class Camera {
    let device = Device()
    var busy = false, picture = 0

    func shoot() -> Promise<Int> {
        Promise { seal in
            self.busy = true
            seal.onCancel { onMain { self.busy = false } }
            device.shoot { seal.resolve($0, $1) }
        }
    }

    func show() {
        firstly {
            busy = true
            return shoot()
        }.onMain.done { self.picture = $0 }.ensure { self.busy = false }.catch { _ in self.picture = 0 }
    }
}
