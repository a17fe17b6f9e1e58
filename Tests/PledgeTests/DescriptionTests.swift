import Pledge
import PledgeTestSupport
import Testing

@Suite("Printing promises, guarantees, and errors")
struct DescriptionTests {
    private let secret = "secret"

    @Test("The description of a promise or guarantee is only its state; its debug description adds the value or error")
    func descriptions() {
        let (source, pending) = (Source(String.self), Guarantee<String>.pending())
        defer { pending.resolve(secret) }
        let rows: [(any CustomStringConvertible & CustomDebugStringConvertible, String, String)] = [
            (source.promise, "Promise<String>(pending)", "Promise<String>.pending"),
            (Promise.value(secret), "Promise<String>(fulfilled)", #"Promise<String>.fulfilled("secret")"#),
            (Promise<Int>(error: Fault(secret)), "Promise<Int>(rejected)", "Promise<Int>.rejected(secret)"),
            (pending.guarantee, "Guarantee<String>(pending)", "Guarantee<String>.pending"),
            (Guarantee.value(secret), "Guarantee<String>(fulfilled)", #"Guarantee<String>.fulfilled("secret")"#),
        ]
        for (made, description, debugDescription) in rows {
            #expect(made.description == description && made.debugDescription == debugDescription)
        }
        let dropped = Guarantee<String>.pending().guarantee
        #expect("\(dropped)" == "Guarantee<String>(rejected)")
        #expect(dropped.debugDescription.hasPrefix("Guarantee<String>.rejected(The promise made at PledgeTests/"))
    }

    @Test("Dumping or mirroring a promise, a guarantee, or a resolver shows only the state")
    func dumped() {
        let (promise, seal) = Promise<String>.pending()
        seal.fulfill(secret)
        #expect(Mirror(reflecting: promise).children.map { "\($0.value)" } == ["Promise<String>(fulfilled)"])
        #expect(Mirror(reflecting: promise).superclassMirror == nil)
        var dumped = ""
        dump(seal, to: &dumped)
        #expect(dumped.contains("Promise<String>(fulfilled)"))
        #expect(!dumped.contains("stored") && !dumped.contains("phase"))
        let guarantee = Mirror(reflecting: Guarantee.value(secret))
        #expect(guarantee.children.map { "\($0.value)" } == ["Guarantee<String>(fulfilled)"])
    }

    @Test("All descriptions of a PromiseError are the same sentence")
    func errors() {
        let sentences: [(PromiseError, String)] = [
            (.cancelled, "The promise was cancelled."),
            (.emptySequence, "The list is empty, or has no element that matches."),
            (.badInput("Something made no sense."), "Something made no sense."),
        ]
        #expect(PromiseError.badInput(PromiseError.cancelled.description) != .cancelled)
        for (error, sentence) in sentences {
            #expect("\(error)" == sentence)
            #expect(error.localizedDescription == sentence)
            #expect(error.errorDescription == sentence)
        }
    }
}
