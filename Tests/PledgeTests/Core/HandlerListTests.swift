import PledgeTestSupport
import Testing

@testable import Pledge

@Suite("A list of handlers")
struct HandlerListTests {
    @Test("keeps the order, finds who is to leave, and never gives a ticket twice")
    func randomSteps() {
        var random = SeededGenerator(seed: 41)
        var (list, model) = (HandlerList<Int>(), [(ticket: UInt32, handler: Int)]())
        var given: Set<UInt32> = []
        for number in 0..<20_000 {
            if Int.random(in: 0..<100, using: &random) < 52 || model.isEmpty {
                let ticket = list.append(number)
                #expect(given.insert(ticket).inserted)
                model.append((ticket, number))
            } else {
                let left = model.remove(at: .random(in: model.indices, using: &random))
                #expect(list.remove(left.ticket) == left.handler)
                #expect(list.remove(left.ticket) == nil)
            }
            #expect(list.count == model.count)
        }
        #expect(list.takeAll().compactMap { $0 } == model.map(\.handler))
        #expect(list.isEmpty)
    }
}
