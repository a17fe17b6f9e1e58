import Dispatch
import Foundation
import Pledge

/// Measures how long a chain on its own queue takes while another handler keeps the default queue busy.
enum Independence {
    static let busySeconds = 0.3

    /// - Returns: The median, in milliseconds.
    static func milliseconds(rounds: Int = 7) -> Double {
        let own = DispatchQueue(label: "benchmark.own", qos: .userInitiated)
        let times = (0..<rounds).map { _ in
            let isBusy = DispatchSemaphore(value: 0)
            let slow = Promise().done { _ in
                isBusy.signal()
                Thread.sleep(forTimeInterval: busySeconds)
            }
            isBusy.wait()
            let time = ContinuousClock().measure {
                let countdown = Countdown(1)
                let (head, seal) = Promise<Int>.pending()
                head.map(on: own) { $0 + 1 }.then(on: own) { Promise.value($0) }.done(on: own) { countdown.hit($0) }
                    .cauterize()
                seal.fulfill(0)
                _ = countdown.wait()
            }
            _ = try? slow.wait()
            return time / .milliseconds(1)
        }
        return Spread(times).median
    }
}
