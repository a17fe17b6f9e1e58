import PledgeTestSupport
import Testing

@testable import Pledge

@Suite("A FIFO")
struct FIFOTests {
    @Test("A FIFO returns its elements in the order in which they were added")
    func order() {
        var random = SeededGenerator(seed: 7)
        // Collects the results in a Boolean, because an expectation for each element would take longer than the whole test.
        var (list, model, isSame) = (FIFO<Int>(), [Int](), true)
        for number in 0..<50_000 {
            // The length rises and falls, so that the list is sometimes empty and sometimes long.
            let chance = number / 1_000 % 2 == 0 ? 70 : 30
            if Int.random(in: 0..<100, using: &random) < chance {
                list.append(number)
                model.append(number)
            } else {
                isSame = isSame && list.popFirst() == (model.isEmpty ? nil : model.removeFirst())
            }
            isSame = isSame && list.isEmpty == model.isEmpty
        }
        while let number = list.popFirst() { isSame = isSame && number == model.removeFirst() }
        #expect(isSame && model.isEmpty)
    }

    @Test("The storage of a FIFO does not grow even if the FIFO is never empty", arguments: [1, 2, 100])
    func endless(_ length: Int) {
        var (list, isSame) = (FIFO<Int>(), true)
        for number in 0..<length { list.append(number) }
        for number in 0..<20_000 {
            list.append(length + number)
            isSame = isSame && list.popFirst() == number
        }
        #expect(isSame)
        let slots = Mirror(reflecting: list).descendant("slots") as? ContiguousArray<Int?>
        #expect(slots.map { $0.count <= 4 * length } == true)
    }
}
