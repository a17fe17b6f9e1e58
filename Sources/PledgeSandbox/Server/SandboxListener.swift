import Dispatch
import Foundation

/// A listener that accepts connections on its own thread until it is stopped.
final class SandboxListener: Sendable {
    let port: UInt16
    private let wake: Int32
    private let closed = DispatchSemaphore(value: 0)

    /// Starts listening and accepting connections.
    init(port: UInt16, accepted: @escaping @Sendable (Int32) -> Void) throws(SandboxError) {
        let pipe = try SystemSocket.makePipe()
        let listener: (descriptor: Int32, port: UInt16)
        do {
            listener = try SystemSocket.openListener(port: port)
        } catch {
            SystemSocket.closeDescriptor(pipe.readEnd)
            SystemSocket.closeDescriptor(pipe.writeEnd)
            throw error
        }
        self.port = listener.port
        wake = pipe.writeEnd
        let closed = closed
        Thread.detachNewThread {
            // Not every system wakes a thread blocked in `accept` when its socket is closed, hence the pipe.
            while !SystemSocket.waitForReading([listener.descriptor, pipe.readEnd]).contains(pipe.readEnd) {
                if let connection = SystemSocket.nextConnection(at: listener.descriptor) {
                    accepted(connection)
                } else {
                    // Most likely out of descriptors: the connection stays queued, so an immediate retry would spin.
                    Thread.sleep(forTimeInterval: 0.01)
                }
            }
            SystemSocket.closeDescriptor(listener.descriptor)
            SystemSocket.closeDescriptor(pipe.readEnd)
            closed.signal()
        }
    }

    /// Stops listening, and returns when the port is free again. Call it only once.
    func stop() {
        SystemSocket.closeDescriptor(wake)
        closed.wait()
    }
}
