import Pledge
import PledgeTestSupport
import Testing

@Suite("Printed,")
struct DescriptionTests {
    private let secret = "secret"

    @Test("a promise shows its state and never its value")
    func description() {
        let source = Source(String.self)
        #expect("\(source.promise)" == "Promise<String>(pending)")
        #expect("\(Promise.value(secret))" == "Promise<String>(fulfilled)")
        #expect("\(Promise<String>(error: Fault(secret)))" == "Promise<String>(rejected)")
    }

    @Test("a guarantee shows its state and never its value")
    func guaranteeDescription() {
        #expect("\(Guarantee<String>.value(secret))" == "Guarantee<String>(fulfilled)")
        let (guarantee, resolve) = Guarantee<String>.pending()
        #expect("\(guarantee)" == "Guarantee<String>(pending)")
        resolve(secret)
        let dropped = Guarantee<String>.pending().guarantee
        #expect("\(dropped)" == "Guarantee<String>(rejected)")
        #expect(dropped.debugDescription.hasPrefix("Guarantee<String>.rejected(The promise made at PledgeTests/"))
    }

    @Test("a promise shows its value or error to those who debug")
    func debugDescription() {
        let source = Source(String.self)
        #expect(source.promise.debugDescription == "Promise<String>.pending")
        #expect(Promise.value(secret).debugDescription == #"Promise<String>.fulfilled("secret")"#)
        #expect(Promise<Int>(error: Fault.one).debugDescription == "Promise<Int>.rejected(one)")
    }

    @Test("a guarantee shows its value to those who debug")
    func guaranteeDebugDescription() {
        #expect(Guarantee.value(secret).debugDescription == #"Guarantee<String>.fulfilled("secret")"#)
    }

    @Test("with dump, none shows what is inside")
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

    @Test("an error is a sentence")
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

    @Test("looking at a promise that way does not count as having handled its error")
    func doesNotHandle() async {
        let fault = Fault("printed-\(#line)")
        let log = LogCapture.shared
        do {
            let promise = Promise<Int>(error: fault)
            #expect(promise.description.contains("rejected"))
            #expect(promise.debugDescription.contains("rejected"))
        }
        await DefaultExecutor.drain()
        #expect(log.unhandled(fault).count == 1)
    }
}
