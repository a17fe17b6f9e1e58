import Pledge
import PledgeTestSupport
import Testing

@Suite("Printing promises, guarantees, and errors")
struct DescriptionTests {
    private let secret = "secret"

    @Test("A promise shows its state and never its value")
    func description() {
        let source = Source(String.self)
        #expect("\(source.promise)" == "Promise<String>(pending)")
        #expect("\(Promise.value(secret))" == "Promise<String>(fulfilled)")
        #expect("\(Promise<String>(error: Fault(secret)))" == "Promise<String>(rejected)")
    }

    @Test("A guarantee shows its state and never its value")
    func guaranteeDescription() {
        #expect("\(Guarantee<String>.value(secret))" == "Guarantee<String>(fulfilled)")
        let (guarantee, resolve) = Guarantee<String>.pending()
        #expect("\(guarantee)" == "Guarantee<String>(pending)")
        resolve(secret)
        let dropped = Guarantee<String>.pending().guarantee
        #expect("\(dropped)" == "Guarantee<String>(rejected)")
        #expect(dropped.debugDescription.hasPrefix("Guarantee<String>.rejected(The promise made at PledgeTests/"))
    }

    @Test("A debug description shows the value or the error")
    func debugDescription() {
        let source = Source(String.self)
        #expect(source.promise.debugDescription == "Promise<String>.pending")
        #expect(Promise.value(secret).debugDescription == #"Promise<String>.fulfilled("secret")"#)
        #expect(Promise<Int>(error: Fault.one).debugDescription == "Promise<Int>.rejected(one)")
        #expect(Guarantee.value(secret).debugDescription == #"Guarantee<String>.fulfilled("secret")"#)
    }

    @Test("A dump or a mirror shows only the state")
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

    @Test("An error's description is a sentence")
    func errors() {
        let sentences: [(PromiseError, String)] = [
            (.cancelled, "The promise was cancelled."),
            (.emptySequence, "The list is empty, or has no element that matches."),
            (.badInput("Something made no sense."), "Something made no sense."),
        ]
        for (error, sentence) in sentences {
            #expect("\(error)" == sentence)
            #expect(error.localizedDescription == sentence)
            #expect(error.errorDescription == sentence)
        }
    }
}
