import Foundation

@testable import PledgeServer

/// Both services, with a hostile text in front of every text in their responses. The hostile text tries to break out of
/// the line, the column, or the markup in which a program puts it.
///
/// The responses are the sandbox's, and are rewritten on the way. Each text still ends with its original words, so
/// equal texts stay equal, and a test can tell which field it sees.
struct HostileServices {
    /// A text that begins like a formula. Then it has, in this order: terminal commands, changes of direction, ends of
    /// lines and of paragraphs, markup, quotation marks, a NUL, a character that is 120 columns wide, and a character
    /// of 41 scalars, which are not in canonical order.
    static let text =
        "=cmd|' /C calc'!A0\u{1B}]0;owned\u{07}\u{1B}[2J\u{9B}31m\u{7F}\u{202E}\u{2066}\u{2069}"
        + "\r\n\u{0B}\u{85}\u{2028}\u{2029}\t</title></style></svg>--><script>alert(1)</script>"
        + "\" onload=\"x\" ' autofocus &amp; ]]> \\u001b \"\",\u{0}" + String(repeating: "\u{1100}", count: 60)
        + " e" + String(repeating: "\u{301}\u{323}", count: 20) + " "

    /// The services for all tests that only read.
    static let shared = Result { try HostileServices() }

    let sandboxes: BothSandboxes

    /// - Parameter isWild: Whether texts that are numbers are rewritten, too. A report then has nothing to show.
    init(isWild: Bool = false) throws {
        sandboxes = try BothSandboxes()
        sandboxes.rewrite { _, json in Self.rewritten(json, isWild: isWild) }
    }

    private static func rewritten(_ json: ServerJSON, key: String = "", isWild: Bool) -> ServerJSON {
        switch json {
        case .string(let text): .string(isForm(text, key, isWild) ? text : Self.text + text)
        case .array(let items): .array(items.map { rewritten($0, key: key, isWild: isWild) })
        case .object(let members):
            // The names of the members of `customFields` and `properties` are texts from the service, too.
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        let isText = ["customFields", "properties"].contains(key)
                        return (isText ? Self.text + name : name, rewritten(value, key: name, isWild: isWild))
                    }))
        default: json
        }
    }

    /// Returns whether a text has a fixed form, because it is a date, a URL, a flag, a page ID, or a parameter of later
    /// requests.
    private static func isForm(_ text: String, _ key: String, _ isWild: Bool) -> Bool {
        text.isEmpty || text.hasPrefix("http") || ["true", "false"].contains(text) || key == "nextPageID"
            || key == "queryableDeviceDataTypes" || (key == "namespace" && isWild) || (Double(text) != nil && !isWild)
            || text.range(of: "^[0-9]{4}-[0-9]{2}-[0-9]{2}", options: .regularExpression) != nil
    }
}
