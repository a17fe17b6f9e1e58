import CAllocations
import Foundation

/// Runs deep cases in threads with as little stack as a secondary thread has on Apple's platforms: 512 KiB.
///
/// On Linux that holds for the threads of Dispatch as well. An overflow ends the process.
///
/// - Returns: whether all of them came out right.
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
