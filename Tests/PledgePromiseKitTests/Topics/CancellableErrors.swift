@_spi(PromiseKit) import PledgePromiseKit

// Cancellation as in PromiseKit: an error says that it is a cancellation, and handlers skip such an error by default.

enum Dialog: CancellableError {
    case dismissed, broken

    var isCancelled: Bool {
        switch self {
        case .dismissed: return true
        case .broken: return false
        }
    }
}

func download() -> (promise: Promise<Int>, cancel: () -> Void) {
    var isCancelled = false
    let (promise, seal) = Promise<Int>.pending()
    let cancel = {
        isCancelled = true
        seal.reject(PMKError.cancelled)
    }
    if !isCancelled { after(.seconds(60)).done { seal.fulfill(1) } }
    return (promise, cancel)
}

func cancellableErrors() -> Promise<String> {
    var seen: [String] = []
    let (promise, cancel) = download()
    let (end, seal) = Promise<String>.pending()
    cancel()

    promise.done { _ in
        seen.append("done")
    }.catch { _ in
        seen.append("catch")
    }
    promise.recover { _ in Promise.value(2) }.catch(policy: .allErrors) { error in
        if case PMKError.cancelled = error { seen.append("skipped by recover") }
    }.finally {
        Promise<Int>(error: Dialog.dismissed).catch(policy: .allErrors) { error in
            seen.append(error.isCancelled ? "dismissed" : "broken")
        }.finally {
            seal.fulfill(seen.joined(separator: ", "))
        }
    }
    return end
}
