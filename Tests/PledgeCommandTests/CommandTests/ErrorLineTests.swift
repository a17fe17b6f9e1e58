import Testing

@testable import PledgeCommand

@Suite("A line on standard error", .serialized)
struct ErrorLineTests {
    @Test("has the text of others without control characters, and stays one line")
    func safe() {
        let words = "saying “\u{1B}]0;t\u{07}no\r\npledge: all is well\u{2028}\u{9B}2J\u{202E}”"
        #expect(ErrorLine(words).text == "saying “]0;tno  pledge: all is well 2J”\n")
    }

    @Test("has the tool's own control sequences only if it is updated in place")
    func own() {
        #expect(ErrorLine("1 done", overwriting: true, staysOpen: true).text == "\r\u{1B}[K1 done")
        #expect(ErrorLine("\r\u{1B}[K1 done").text == " [K1 done\n")
    }
}
