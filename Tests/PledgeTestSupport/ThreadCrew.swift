import Foundation

/// Threads that stand ready to do one thing each at the same moment.
package final class ThreadCrew: @unchecked Sendable {
    // Unchecked: `jobs` is written before `start` is signalled and read after it was.

    private let starts: [DispatchSemaphore]
    private let done = DispatchSemaphore(value: 0)
    private var jobs: [(@Sendable () -> Void)?]

    package init(count: Int) {
        starts = (0..<count).map { _ in DispatchSemaphore(value: 0) }
        jobs = Array(repeating: nil, count: count)
        for index in 0..<count {
            Thread.detachNewThread { self.work(index) }
        }
    }

    /// Runs the jobs, each on a thread of its own, and comes back when all have ended.
    package func run(_ jobs: [@Sendable () -> Void]) {
        for (index, job) in jobs.enumerated() { self.jobs[index] = job }
        for index in jobs.indices { starts[index].signal() }
        for _ in jobs { done.wait() }
    }

    /// Sends the threads home.
    package func dismiss() {
        for index in jobs.indices { jobs[index] = nil }
        for start in starts { start.signal() }
    }

    private func work(_ index: Int) {
        while true {
            starts[index].wait()
            guard let job = jobs[index] else { return }
            job()
            done.signal()
        }
    }
}
