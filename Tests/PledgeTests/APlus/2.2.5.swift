import Pledge
import PledgeTestSupport
import Testing

// "Handlers must be called as functions, with no this value." Swift has no `this` to bind by surprise, so the clause
// holds by itself; what is left of it is that any function of the right type is a handler, wherever it comes from.
@Suite("A+ 2.2.5: handlers are called as functions")
struct APlus225 {
    private static func twice(_ number: Int) -> Int { number * 2 }

    @Test("a static function is one")
    func staticFunction() async throws {
        #expect(try await Promise.value(2).map(Self.twice).value == 4)
    }

    @Test("an initialiser is one")
    func initialiser() async throws {
        #expect(try await Promise.value(2).map(String.init(describing:)).value == "2")
    }

    @Test("a method with its object is one")
    func boundMethod() async {
        let values = Recorder<Int>()
        Promise.value(2).done { values.append($0) }.cauterize()
        await DefaultExecutor.drain()
        #expect(values.all == [2])
    }
}
