@_spi(PromiseKit) import PledgePromiseKit

// Wraps a delegate that is called once in a promise. The delegate keeps itself alive until the promise settles.

protocol LocatorDelegate: AnyObject {
    func locator(didFind place: String)
    func locator(didFail error: Error)
}

final class Locator {
    weak var delegate: LocatorDelegate?
    func start() { after(.milliseconds(1)).done { self.delegate?.locator(didFind: "here") } }
}

extension Locator {
    static func promise() -> Promise<String> { LocatorProxy().promise }
}

private final class LocatorProxy: LocatorDelegate {
    let (promise, seal) = Promise<String>.pending()
    private var retainCycle: LocatorProxy?
    private let locator = Locator()

    init() {
        retainCycle = self
        locator.delegate = self
        _ = promise.ensure { self.retainCycle = nil }
        locator.start()
    }

    func locator(didFind place: String) { seal.fulfill(place) }
    func locator(didFail error: Error) { seal.reject(error) }
}

func wrappedDelegate() -> Promise<String> { Locator.promise().map { "found \($0)" } }
