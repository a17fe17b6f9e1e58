import Pledge

// A chain of ten steps, and one with a policy for cancellation and a time limit.
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
