import Dispatch
import Foundation

internal import PledgeLock

/// Settings for all promises of an app: the default queues, the default catch policy, and the log handler. An app may
/// change them once, at launch.
///
/// ```swift
/// PromiseConfiguration.shared.queues = (map: .main, return: .main)
/// ```
public struct PromiseConfiguration: Sendable {
    /// The queues for handlers that don't specify a queue. `return` is for `done`, `catch`, `ensure`, and `finally`.
    /// `map` is for all others, in the middle of a chain.
    ///
    /// If a queue is nil, the handlers run on the thread that settles the promise, as with `on: nil`.
    public typealias Queues = (map: DispatchQueue?, return: DispatchQueue?)

    /// The queues for handlers that don't specify a queue. A later change doesn't affect handlers that were already
    /// added.
    public var queues: Queues = (map: .pledge, return: .pledge)
    /// The policy of a `catch` or `recover` that doesn't specify a policy.
    public var catchPolicy = CatchPolicy.allErrorsExceptCancellation
    /// The closure that receives events worth logging. By default, it writes a line to standard error.
    ///
    /// The closure may be called on any thread. It must return quickly, and must not block.
    public var logHandler: @Sendable (PromiseEvent) -> Void = { event in
        try? FileHandle.standardError.write(contentsOf: Data("Pledge: \("\(event)".onOneLine)\n".utf8))
    }

    package init() {}

    private static let stored = Locked(PromiseConfiguration())

    /// The current configuration. You can read and set it from any thread, but it is meant to be set only once, at
    /// launch.
    public static var shared: PromiseConfiguration {
        get { stored.withLock { $0 } }
        set {
            // The old value is released after unlocking, because releasing it may run code that logs an event.
            let old = stored.withLock { value in
                let queues = newValue.queues
                pledge_set_names_queues(queues.map !== DispatchQueue.pledge || queues.return !== DispatchQueue.pledge)
                defer { value = newValue }
                return value
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Returns where a handler runs, given the queue and the flags that it specifies.
    @inline(__always)
    static func queue(
        for named: DispatchQueue?, _ flags: DispatchWorkItemFlags?, endsChain: Bool
    ) -> Handler.Queue {
        guard named === DispatchQueue.configured else { return Handler.Queue(named, flags) }
        // A shortcut for apps that haven't set queues. It makes a `map` 6 % cheaper.
        if !pledge_names_queues() { return .pledge }
        let queues = shared.queues
        return Handler.Queue(endsChain ? queues.return : queues.map, flags)
    }

    package static func log(_ event: PromiseEvent) { shared.logHandler(event) }
}

extension DispatchQueue {
    /// The default queue of promises, even if ``PromiseConfiguration/queues`` specifies other queues. Use it in a
    /// library, whose handlers shouldn't depend on the settings of an app.
    public static var pledge: DispatchQueue { DefaultQueue.shared.queue }

    /// The default value of `on:`. It is only a placeholder for the configured queue: nothing ever runs on it.
    @usableFromInline static let configured = DispatchQueue(label: "pledge.configured", target: pledge)
}

/// An event that is worth logging; see ``PromiseConfiguration/logHandler``.
public enum PromiseEvent: Sendable, CustomStringConvertible {
    /// A rejected promise of this type was released before anything had observed its error.
    ///
    /// `from` is the file and line where the promise's chain began. They are known only in debug builds, and only if
    /// the chain began with a promise that takes `file` and `line`.
    case unhandled(any Error, type: String, from: String?)
    /// A chain that ends with `cauterize` was rejected with this error.
    case cauterized(any Error)
    /// The `resolve` closure of the guarantee that was created at this location was released without being called. So
    /// the guarantee can never settle.
    case guaranteeDropped(file: String, line: UInt)
    /// A message from a module that uses promises.
    case note(String)

    /// A description of the event for a log.
    public var description: String {
        switch self {
        case .unhandled(let error, let type, let origin):
            "A rejected \(type)\(origin.map { ", whose chain began at \($0)," } ?? "") was deallocated before anything handled "
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
