import Foundation

/// A group of threads, each of which starts one job at the same moment.
package final class ThreadCrew: @unchecked Sendable {
    // Unchecked: a job is written to `jobs` before its thread's semaphore in `starts` is signaled, and read after that.

    private let starts: [DispatchSemaphore]
    private let done = DispatchSemaphore(value: 0)
    private var jobs: [(@Sendable () -> Void)?]

    package init(count: Int) {
        starts = (0..<count).map { _ in DispatchSemaphore(value: 0) }
        jobs = Array(repeating: nil, count: count)
        for index in 0..<count {
            Thread.detachNewThread {
                while true {
                    self.starts[index].wait()
                    guard let job = self.jobs[index] else { return }
                    job()
                    self.done.signal()
                }
            }
        }
    }

    /// Runs each job on its own thread, and returns when all have ended.
    package func run(_ jobs: [@Sendable () -> Void]) {
        for (index, job) in jobs.enumerated() { self.jobs[index] = job }
        for index in jobs.indices { starts[index].signal() }
        for _ in jobs { done.wait() }
    }

    /// Ends the threads.
    package func dismiss() {
        for index in jobs.indices { jobs[index] = nil }
        for start in starts { start.signal() }
    }
}
