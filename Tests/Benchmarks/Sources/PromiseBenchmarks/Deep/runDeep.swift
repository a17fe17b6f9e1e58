import CAllocations
import Foundation

/// Runs deep cases in threads with a stack of 512 KiB, like that of a secondary thread on Apple's platforms.
///
/// On Linux, Dispatch's threads have this limit as well. A stack overflow ends the process.
///
/// - Returns: Whether all cases had the right outcome.
func runDeep(_ cases: [DeepCase]) -> Bool {
    let stack = 512 << 10
    let isLimited = allocations_limit_thread_stacks(stack)
    print("1,000,000 deep on \(stack >> 10) KiB\(isLimited ? "" : " (only the thread that builds)")")
    var isRight = true
    for deepCase in cases {
        let clock = ContinuousClock()
        let countdown = Countdown(1)
        let time = clock.measure {
            let thread = Thread { countdown.hit(deepCase.run() ? 1 : 0) }
            thread.stackSize = stack
            thread.start()
            if countdown.wait() == 0 { isRight = false }
        }
        print("\(deepCase.rawValue): \(isRight ? "ok" : "WRONG"), \((time / .seconds(1)).rounded(to: 1)) s")
    }
    return isRight
}
