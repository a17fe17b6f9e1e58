import Foundation
import PledgeCoding
import Testing

@testable import PledgeHTTP

/// Tests the effect of each word in the word lists. The tables here must have a row for each word.
@Suite("The word lists")
struct WordListTests {
    @Test("A name that contains one of the listed words names a secret, however the name is capitalized or separated")
    func parts() {
        let names = [
            "authorization": "Proxy-Authorization", "cookie": "Set-Cookie", "token": "X-Auth-Token",
            "secret": "client_secret", "password": "newPassword", "passwd": "DB_PASSWD", "passphrase": "key-passphrase",
            "credential": "credentials", "assertion": "client_assertion", "apikey": "X-Api-Key",
            "accesskey": "AWSAccessKeyId", "privatekey": "private_key", "signature": "X-Signature",
            "sessionid": "session%5Fid",
        ]
        #expect(Set(SecretName.parts) == Set(names.keys))
        for (part, name) in names {
            #expect(SecretName.matches(name) && !SecretName.matches(part.dropLast()), "\(part)")
            #expect(SecretName.hasValue(in: "\(name)=x") && SecretName.hasValue(in: #"{"\#(name)": 1}"#), "\(part)")
        }
    }

    @Test("A name that equals a listed short word names a secret; a name that merely contains such a word doesn't")
    func wholes() {
        let names = [
            "code": "code", "authcode": "auth_code", "devicecode": "device-code", "usercode": "userCode",
            "codeverifier": "code_verifier", "auth": "Auth", "jwt": "JWT", "otp": "otp", "pin": "PIN", "pwd": "pwd",
            "sid": "sid", "key": "key", "ticket": "Ticket",
        ]
        #expect(SecretName.wholes == Set(names.keys))
        for name in names.values { #expect(SecretName.matches(name) && !SecretName.matches("my_\(name)"), "\(name)") }
    }

    @Test("HTTP dates are read with every month's name and every notation of UTC")
    func dates() {
        let names = DateFormatter()
        names.locale = Locale(identifier: "en_US_POSIX")
        for month in 1...12 {
            let name = names.shortMonthSymbols[month - 1]
            let date = HTTPDate.parse("Mon, 03 \(name) 2026 04:05:06 GMT", now: .distantPast)
            #expect(date.map { Timestamp.text($0) } == "2026-\(month < 10 ? "0" : "")\(month)-03T04:05:06Z", "\(name)")
        }
        #expect(Set(HTTPDate.zones) == ["GMT", "UTC", "Z", "+0000", "+00", "0000", "00"])
        for zone in ["GMT", "UTC", "Z", "+0000", "+00", "-0000", "-00"] {
            let date = HTTPDate.parse("Thu, 01 Jan 1970 00:00:09 \(zone)", now: .distantPast)
            #expect(date == Date(timeIntervalSince1970: 9), "\(zone)")
        }
    }

    @Test("Only GET, HEAD, PUT, DELETE, OPTIONS, and TRACE are idempotent; a valid method has only capital letters")
    func methods() {
        let all = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "POST", "PATCH", "CONNECT", "get"]
        #expect(all.filter { HTTPMethod(rawValue: $0).isIdempotent } == Array(all[..<6]))
        #expect(["AZ", "", "az", "A-Z", "[", "@"].filter { HTTPMethod(rawValue: $0).isValid } == ["AZ"])
    }
}
