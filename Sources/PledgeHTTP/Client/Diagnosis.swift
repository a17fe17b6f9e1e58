import Foundation
import Pledge
import PledgeCoding

/// The meaning of a failure. This is the only table of statuses and other reasons. Modules that use this one may only
/// replace its texts.
package struct Diagnosis: Sendable {
    package let kind: FailureKind
    /// The outcome as the limits, the retries, and the health of a service see it.
    package let outcome: AttemptOutcome.Kind
    /// What to do next; nil if the reason already includes it.
    let advice: String?

    private init(_ kind: FailureKind, _ outcome: AttemptOutcome.Kind, _ advice: String? = nil) {
        self.kind = kind
        self.outcome = outcome
        self.advice = advice
    }

    /// - Parameters:
    ///   - announced: The rate limit that the response announces.
    ///   - seconds: The number of seconds to wait, if the response specifies one.
    package init(_ reason: ExchangeError.Reason, _ announced: RateLimit? = nil, asking seconds: Double? = nil) {
        switch reason {
        // Some services, such as GitHub, send a 403 where others send a 429.
        case .status(403, _) where announced?.remaining == 0 || seconds != nil: self.init(status: 429)
        case .status(let code, _): self.init(status: code)
        case .transport(let error): self.init(error)
        case .badRequest: self.init(.invalidArgument, .unclear)
        case .credential(let error as CredentialError): self.init(error)
        // Something prevented the renewal of the token. Perhaps the token's endpoint cannot be reached, which may be
        // temporary.
        case .credential(let error): self.init(FailureKind(error), .unclear)
        case .limited:
            self.init(.rateLimited, .limited, "Try again then, or raise “longestWait”.")
        case .overBudget(let error):
            self.init(
                .overBudget, .unclear,
                "Request less, or raise “\(error.limit.rawValue)” in the budget of the client's options.")
        case .redirected: self.init(.redirected, .answered, "Check the base URL.")
        case .unreadable(.unexpected): self.init(.unreadable, .answered, Self.adviceOnReading)
        case .unreadable(.empty), .unreadable(.html), .unreadable(.notJSON):
            self.init(.unreadable, .garbled, Self.adviceOnReading)
        case .cancelled: self.init(.cancelled, .unclear)
        case .other: self.init(.other, .unclear)
        }
    }

    private init(_ error: CredentialError) {
        switch error {
        case .sourceIsGone, .malformed: self.init(.invalidArgument, .unclear)
        case .signInNeeded: self.init(.unauthorized, .unclear)
        case .renewalRefused: self.init(.unauthorized, .unclear, "Let the user sign in again.")
        }
    }

    package static let adviceOnReading = "Check the base URL; if it is right, the service may have changed."

    package static let adviceOnTime = "Try again, or allow more time."

    /// The statuses after which another attempt may help.
    package static let passingStatuses = Set((400...999).filter { Diagnosis(status: $0).kind.isPassing })

    package init(status: Int) {
        switch status {
        case 300..<400: self.init(.redirected, .answered)
        case 401: self.init(.unauthorized, .answered, "Check the token.")
        case 403: self.init(.forbidden, .answered, "Check the token's permissions.")
        case 404: self.init(.notFound, .answered, "Check the URL, and that the item exists.")
        case 429:
            self.init(.rateLimited, .limited, "Wait before the next request, and consider a rate limiter.")
        case 408, 425, 500...: self.init(.serviceFault, .fault, "Try again later.")
        default: self.init(.rejected, .answered)
        }
    }

    private init(_ error: TransportError) {
        switch error {
        case .unreachable:
            self.init(.unreachable, .unsent, "Check the network and the URL.")
        case .connectionLost:
            self.init(.unreachable, .fault, "Try again; for a write, first check whether it was done.")
        case .untrusted:
            self.init(.untrusted, .unclear, "Check the URL: another server may be posing as the service.")
        case .timedOut, .stalled: self.init(.timedOut, .fault, Self.adviceOnTime)
        case .tooLarge: self.init(.unreadable, .unclear, "Request less data, or raise the limit.")
        case .unwritable: self.init(.other, .unclear, "Check the folder, and how much room there is.")
        case .badResponse: self.init(.unreadable, .garbled, "Check the URL.")
        case .unsendable: self.init(.invalidArgument, .unclear, "Correct the request.")
        }
    }
}

/// The kind of a failure. Programs can switch on it, and store its name as a code.
public enum FailureKind: String, CaseIterable, Sendable {
    /// An argument was invalid, and no request was sent.
    case invalidArgument
    /// 401: The token is unknown or has expired. Also used if the token cannot be renewed, so that no request was sent.
    case unauthorized
    /// 403 that announces no rate limit: The token does not permit the request.
    case forbidden
    /// 404: The requested item does not exist.
    case notFound
    /// 429, or a 403 that announces a rate limit: There were more requests than the service permits. Also used if the
    /// next request would have to wait too long.
    case rateLimited
    /// Most other 4xx: The service did not accept the request.
    case rejected
    /// 408, 425, or 5xx: The service failed to process the request.
    case serviceFault
    /// 3xx: The service, or a server in front of it, redirected the request.
    case redirected
    /// The response does not match the service's documentation.
    case unreadable
    /// The call has used up the budget in the client's options.
    case overBudget
    /// No connection could be established, or it was lost.
    case unreachable
    /// The host could not prove its identity.
    case untrusted
    /// No response was received in time.
    case timedOut
    /// The call was canceled before it finished.
    case cancelled
    /// An error from another source, such as a token source.
    case other

    /// Whether the failure may be temporary.
    package var isPassing: Bool { [.unreachable, .timedOut, .serviceFault, .rateLimited].contains(self) }

    /// Determines the kind of any error, as far as this module knows the error.
    package init(_ error: any Error) {
        self =
            switch error {
            case is RepeatedPages: .unreadable
            default: error.exchangeError?.kind ?? (error.isCancelled ? .cancelled : .other)
            }
    }
}

/// The texts in the JSON of a response that reports a failure.
package struct FailureTexts: Sendable {
    private let json: JSONValue

    /// Returns nil if the response is not JSON.
    package init?(_ response: RawResponse) {
        guard let json = try? response.json(JSONValue.self) else { return nil }
        self.json = json
    }

    private var members: [String: JSONValue] { if case .object(let members) = json { members } else { [:] } }

    /// The text, if the JSON is a single string.
    var text: String? { if case .string(let text) = json { text } else { nil } }

    /// The text under a name.
    package subscript(name: String) -> String? {
        members[name].flatMap { Self.texts($0, under: name)?.joined(separator: " ") }
    }

    /// The service's messages about fields of the request. If a field's name is that of a secret, a message of a single
    /// word is hidden, because it may be the secret.
    var complaints: String? {
        let fields = members.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            guard case .array = value, let texts = Self.texts(value, under: name) else { return nil }
            let shown = SecretName.matches(name) ? texts.map { $0.contains(" ") ? $0 : "…" } : texts
            return "\(name): \(shown.joined(separator: " "))"
        }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }

    /// Returns the texts of a string, or of a list that has only strings; nil for anything else. An object under the
    /// name of an error counts as its message: `{"error": {"message": "No."}}`.
    private static func texts(_ value: JSONValue, under name: String) -> [String]? {
        switch value {
        case .string(let text): return [text]
        case .object(let members) where name == "error" || name == "errors":
            for key in ["message", "detail", "title"] {
                if case .string(let text)? = members[key] { return [text] }
            }
            return nil
        case .array(let items):
            let texts = items.compactMap { item -> String? in
                if case .array = item { return nil }
                return Self.texts(item, under: name)?.first
            }
            return texts.isEmpty || texts.count < items.count ? nil : texts
        default: return nil
        }
    }
}

/// The message that a service includes in the body of a response that reports a failure.
package enum ServiceMessage {
    private static let keys = [
        "message", "error", "detail", "error_description", "errors", "non_field_errors", "title",
    ]
    private static let longest = 200
    /// The size in bytes above which no message is searched for. If a larger body were parsed, a service could waste
    /// the client's time.
    static let largestBody = 1 << 20

    /// Returns the service's message verbatim. Looks for it in all places where services put it. Returns nil for a web
    /// page.
    package static func find(in response: RawResponse) -> String? {
        guard !response.body.isEmpty, !response.headers.isHTML else { return nil }
        guard let words = FailureTexts(response) else {
            let text = String(decoding: response.body, as: UTF8.self)
            return isWebPage(text) ? nil : text
        }
        // An OAuth2 server sends a code and a description.
        if words["message"] == nil, let code = words["error"], let text = words["error_description"] {
            return "\(code): \(text)"
        }
        return words.text ?? keys.lazy.compactMap { words[$0] }.first ?? words.complaints
    }

    /// Returns a text as one printable line that fits into a sentence: shortened, and without its period. Returns nil
    /// if nothing is left.
    package static func line(_ text: String) -> String? {
        guard !isWebPage(text) else { return nil }
        var line = Substring(printable(text))
        // A single period would end the surrounding sentence. Three periods are an ellipsis.
        while line.hasSuffix("."), !line.hasSuffix("..") {
            repeat { line = line.dropLast() } while line.hasSuffix(" ")
        }
        return line.isEmpty ? nil : String(line)
    }

    /// Returns a text on one line, without invisible characters. If it is too long for a sentence, it is cut.
    static func printable(_ text: String) -> String {
        // Scalars are counted, because a single character can be arbitrarily long. This many are enough for a line even
        // if most are invisible.
        let start = String(text.unicodeScalars.prefix(longest * 4))
        let line = start.split { $0.isNewline || $0.isWhitespace }.joined(separator: " ")
        let shown = String(String.UnicodeScalarView(line.unicodeScalars.filter { !$0.isInvisible }))
        return shown.count > longest || shown.unicodeScalars.count > longest * 2
            ? "\(String(shown.unicodeScalars.prefix(longest * 2)).prefix(longest))…" : shown
    }

    private static func isWebPage(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.first { !$0.properties.isWhitespace } == "<"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, or one that only affects how others are displayed.
    var isInvisible: Bool {
        value < 0x80
            ? value < 0x20 || value == 0x7F
            : [.control, .format].contains(properties.generalCategory)
    }
}
