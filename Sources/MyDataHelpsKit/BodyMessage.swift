import Foundation
import PledgeHTTP

/// What MyDataHelps says in the body of a failed reply.
enum BodyMessage {
    /// Plain text as it is, and of JSON the string, or an object's `message`. Where there is neither, whatever else looks
    /// like words.
    static func find(in reply: HTTPReply) -> String? {
        let type = reply.headers["Content-Type"]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        if type == "text/plain" { return reply.body.isEmpty ? nil : String(decoding: reply.body, as: UTF8.self) }
        if let words = try? reply.json(ServiceWords.self) {
            if let text = words["message"] { return text }
            // The token endpoint's way: a word for programs, and a sentence.
            if let word = words["error"], let text = words["error_description"] { return "\(word): \(text)" }
        }
        return ServiceMessage.find(in: reply)
    }
}
