@_spi(PromiseKit) import PledgePromiseKit

// Runs the steps of a list one after another.

final class Cell {
    var alpha = 1
    func fade() -> Guarantee<Void> { after(.milliseconds(1)).done { self.alpha = 0 } }
}

func oneAfterAnother() -> Promise<String> {
    let cells = [Cell(), Cell(), Cell()]
    var order: [Int] = []

    var fade = Guarantee()
    for (index, cell) in cells.enumerated() {
        fade = fade.then { cell.fade() }.done { order.append(index) }
    }
    var steps = Promise()
    for step in [{ Promise() }, { Promise<Void> { $0.fulfill(()) } }] {
        steps = steps.then(step)
    }
    return steps.then { fade }.map { "\(order) \(cells.map { $0.alpha })" }
}
