import PledgeTestSupport
import Testing

@testable import Pledge

@Suite("A list of handlers")
struct HandlerListTests {
    @Test("A list of handlers keeps their order, finds a handler by its ticket, and numbers tickets from 1")
    func randomSteps() {
        var random = SeededGenerator(seed: 41)
        var (list, model) = (HandlerList<NumberedHandler>(), [(ticket: Ticket, handler: NumberedHandler)]())
        var last: Ticket = 0
        for number in 0..<20_000 {
            let choice = Int.random(in: 0..<100, using: &random)
            if choice < 42 || model.isEmpty {
                let handler = NumberedHandler(number: number)
                let ticket = list.append(handler)
                last += 1
                #expect(ticket == last)
                model.append((ticket, handler))
            } else if choice < 60 {
                let index = model.indices.randomElement(using: &random) ?? 0
                let (ticket, handler) = model[index]
                model[index].handler.counts = false
                #expect(list.change(ticket) { _ in model[index].handler } == handler)
            } else {
                let left = model.remove(at: .random(in: model.indices, using: &random))
                #expect(list.change(left.ticket) { _ in nil } == left.handler)
                #expect(list.change(left.ticket) { _ in nil } == nil)
            }
            guard number.isMultiple(of: 16) else { continue }
            #expect(list.count == model.count)
            #expect(list.counted == model.filter(\.handler.counts).count)
        }
        #expect(list.takeAll().compactMap(\.handler) == model.map(\.handler))
        #expect(list.count == 0)
    }
}
