import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Messages from the service", .serialized)
struct ErrorMessageTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    @Test(
        "The message in a body is kept verbatim, and shortened to one line in the description",
        arguments: [("text/plain", false), ("application/json", false), ("application/json", true)])
    func exactMessage(type: String, isObject: Bool) async throws {
        let words = "  Closed.\n\tAsk “Zoë” again. \(String(repeating: "x", count: 300)).\n"
        let quoted = String(decoding: try JSONEncoder().encode([words]), as: UTF8.self).dropFirst().dropLast()
        let body = type == "text/plain" ? words : isObject ? #"{"message": \#(quoted)}"# : String(quoted)
        mdh.answer("GET /api/", status: 500, type: type, body)

        let error = await mdh.failure()

        #expect(error?.name == "serverError")
        #expect(error?.response?.message == words)
        #expect(error?.description.contains("saying “Closed. Ask “Zoë” again. xxx") == true)
        #expect(error?.description.contains("xxx…”.") == true && error?.description.contains("\n") == false)
    }

    @Test(
        "The samples of failed responses decode",
        arguments: ["error_500_message_object", "error_400_string_fragment", "error_401_object"])
    func samples(name: String) async throws {
        mdh.answer("GET /api/", status: 500, String(decoding: try sample(name), as: UTF8.self))

        let error = await mdh.failure()

        let expected = [
            "error_500_message_object": "Something broke on our side 💥",
            "error_401_object": "Authorization has been denied for this request.",
            "error_400_string_fragment": "finalRedirectPath is not in the list of allowed URLs",
        ]
        #expect(error?.name == "serverError" && error?.response?.message == expected[name])
    }
}
