import Foundation
import PledgeHTTP

/// The error message in the body of a failed response.
enum BodyMessage {
    /// Returns plain text unchanged, a JSON string, or the `message` or another likely member of a JSON object.
    static func find(in reply: HTTPReply) -> String? {
        let type = reply.headers["Content-Type"]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        if type == "text/plain" { return reply.body.isEmpty ? nil : String(decoding: reply.body, as: UTF8.self) }
        if let words = FailureTexts(reply) {
            if let text = words["message"] { return text }
            // The token endpoint sends an error code and a description.
            if let word = words["error"], let text = words["error_description"] { return "\(word): \(text)" }
        }
        return ServiceMessage.find(in: reply)
    }
}
