import Foundation
import PledgeFiles

/// The file for the body of a successful response.
package struct ResponseFile: Sendable {
    let url: URL
    /// The maximum size of the body, in bytes.
    let limit: Int

    /// Performs work on the file, and converts its errors.
    func writing<Value>(_ work: () throws -> Value) throws(TransportError) -> Value {
        guard url.isFileURL else { throw .unwritable("the URL is not that of a file") }
        do {
            return try work()
        } catch {
            // The error leaves out the path, because it may be private.
            let code = (error as? FileError)?.code ?? 0
            throw .unwritable(code == 0 ? "the file cannot be replaced" : String(cString: strerror(code)))
        }
    }
}
