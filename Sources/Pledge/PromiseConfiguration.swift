import Dispatch
import Foundation

internal import PledgeLock

/// Settings that an app may change once, at launch: the default queues, the default catch policy, and the log handler.
///
/// ```swift
/// PromiseConfiguration.shared.queues = (map: .main, return: .main)
/// ```
public struct PromiseConfiguration: Sendable {
    /// The queues for handlers that don't specify one: `map` for the middle of a chain, `return` for `done`, `catch`,
    /// `ensure`, and `finally`. Nil runs them inline, on the thread that settles the promise, as with `on: nil`.
    public typealias Queues = (map: DispatchQueue?, return: DispatchQueue?)

    /// The queues for handlers that don't specify one. A handler uses the value at the time it is added.
    public var queues: Queues = (map: .pledge, return: .pledge)
    /// The policy of a `catch` or `recover` that doesn't specify one.
    public var catchPolicy = CatchPolicy.allErrorsExceptCancellation
    /// The closure that receives events worth logging, on any thread: it must be quick and must not block. By default,
    /// it writes a line to standard error.
    public var logHandler: @Sendable (PromiseEvent) -> Void = { event in
        try? FileHandle.standardError.write(contentsOf: Data("Pledge: \("\(event)".onOneLine)\n".utf8))
    }

    package init() {}

    private static let stored = Locked(PromiseConfiguration())

    /// The current configuration. Safe to read and set from any thread, but intended to be set once.
    public static var shared: PromiseConfiguration {
        get { stored.withLock { $0 } }
        set {
            // The old value is released after unlocking, because that may log.
            let old = stored.withLock { value in
                let queues = newValue.queues
                pledge_set_names_queues(queues.map !== DispatchQueue.pledge || queues.return !== DispatchQueue.pledge)
                defer { value = newValue }
                return value
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Returns where a handler runs.
    @inline(__always)
    static func queue(
        for named: DispatchQueue?, _ flags: DispatchWorkItemFlags?, endsChain: Bool
    ) -> Handler.Queue {
        guard named === DispatchQueue.configured else { return Handler.Queue(named, flags) }
        // A fast path that makes a `map` 6 % cheaper.
        if !pledge_names_queues() { return .pledge }
        let queues = shared.queues
        return Handler.Queue(endsChain ? queues.return : queues.map, flags)
    }

    package static func log(_ event: PromiseEvent) { shared.logHandler(event) }
}

extension DispatchQueue {
    /// The default queue of promises, regardless of ``PromiseConfiguration/queues``. For libraries, whose steps
    /// shouldn't depend on an app's settings.
    public static var pledge: DispatchQueue { DefaultQueue.shared.queue }

    /// The default value of `on:`. A placeholder: nothing ever runs on it.
    @usableFromInline static let configured = DispatchQueue(label: "pledge.configured", target: pledge)
}

/// An event that is worth logging.
public enum PromiseEvent: Sendable, CustomStringConvertible {
    /// A rejected promise of this type was released without its error having been observed. `from` is the file and line
    /// where its chain began. It is known in debug builds only, if the chain began with a promise that takes `file` and
    /// `line`.
    case unhandled(any Error, type: String, from: String?)
    /// A chain that ends with `cauterize` was rejected with this error.
    case cauterized(any Error)
    /// The `resolve` closure of the guarantee created here was released unused, so the guarantee can never settle.
    case guaranteeDropped(file: String, line: UInt)
    /// A message from a module built on promises.
    case note(String)

    /// A description of the event for a log.
    public var description: String {
        switch self {
        case .unhandled(let error, let type, let place):
            "A rejected \(type)\(place.map { ", whose chain began at \($0)," } ?? "") was deallocated before anything handled "
                + "its error: \(String(reflecting: error))"
        case .cauterized(let error):
            "A chain was cauterized after this error: \(String(reflecting: error))"
        case .guaranteeDropped(let file, let line):
            "The guarantee made at \(file):\(line) can never settle, because its resolve closure was released unused."
        case .note(let text):
            text
        }
    }
}
