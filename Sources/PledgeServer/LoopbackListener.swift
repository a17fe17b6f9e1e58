import Dispatch
import Foundation

/// Accepts connections on its own thread until it is stopped.
final class LoopbackListener: Sendable {
    let port: UInt16
    let address: String
    private let wake: Int32
    private let closed = DispatchSemaphore(value: 0)

    /// - Parameter onIPv6: Whether to listen at `[::1]`, too, if the machine has IPv6.
    init(
        at host: String = "127.0.0.1", port: UInt16, onIPv6: Bool, accepted: @escaping @Sendable (Int32) -> Void
    ) throws(ServerStartError) {
        let pipe = try SystemSocket.makePipe()
        var opened: [Int32] = []
        do {
            let listener = try SystemSocket.openListener(port: port, at: host)
            (self.port, address) = (listener.port, listener.address)
            opened.append(listener.descriptor)
            if onIPv6, let other = try SystemSocket.openListenerV6(port: listener.port) { opened.append(other) }
        } catch {
            for descriptor in opened + [pipe.readEnd, pipe.writeEnd] { SystemSocket.closeDescriptor(descriptor) }
            throw error
        }
        wake = pipe.writeEnd
        let (closed, listeners) = (closed, opened)
        Thread.detachNewThread {
            // Closing a socket does not wake a thread blocked in `accept` on every system, hence the pipe.
            while true {
                let ready = SystemSocket.waitForReading(listeners + [pipe.readEnd])
                if ready.contains(pipe.readEnd) { break }
                for listener in ready {
                    if let connection = SystemSocket.nextConnection(at: listener) {
                        accepted(connection)
                    } else {
                        // Probably out of descriptors: the connection stays queued, so an immediate retry would spin.
                        Thread.sleep(forTimeInterval: 0.01)
                    }
                }
            }
            for descriptor in listeners + [pipe.readEnd] { SystemSocket.closeDescriptor(descriptor) }
            closed.signal()
        }
    }

    /// Stops listening, and returns when the port is free again. Call it once.
    func stop() {
        SystemSocket.closeDescriptor(wake)
        closed.wait()
    }
}
