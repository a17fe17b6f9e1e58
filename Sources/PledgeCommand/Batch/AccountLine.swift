import ExistKit
import Foundation
import PledgeCoding

/// A line of input, such as `{"service":"exist","account":"a-17","token":"…"}`.
///
/// Instead of the token itself, `token` may be an object that says where to find the token. A line may also have an
/// `address`, the URL of the server to which the token is sent.
struct AccountLine: Sendable {
    var id: AccountID
    /// The base URL of the server to which the account's token is sent; nil if the line names no server.
    var address: URL?
    var kind: ExistCredential.Kind
    var token: TokenOrigin

    /// The maximum length of an account's name, in bytes. The length is limited because a resumed run reads the names
    /// in all earlier results. A longer name is a mistake anyway.
    static let longestName = 1024

    init(_ bytes: [UInt8], environment: [String: String]) throws(BadLine) {
        // Foundation's error message isn't used, because it may quote the line, and the line contains the token.
        guard let json = try? JSONSerialization.jsonObject(with: Data(bytes)), let object = json as? [String: Any]
        else {
            throw BadLine("it is not a JSON object on one line")
        }
        guard let word = object["service"] as? String, let service = AccountID.Service(rawValue: word) else {
            throw BadLine("“service” is neither “exist” nor “mydatahelps”")
        }
        guard let account = object["account"] as? String, !account.isEmpty else {
            throw BadLine("“account” is missing, or not a string")
        }
        guard account.utf8.count <= Self.longestName else {
            throw BadLine("“account” is longer than \(Self.longestName) bytes")
        }
        id = AccountID(service: service, account: account)
        switch object["kind"] {
        case nil, is NSNull, "bearer" as String: kind = .bearer
        case "simple" as String where service == .exist: kind = .simple
        default: throw BadLine("“kind” must be “bearer” or, for Exist, “simple”")
        }
        switch object["address"] {
        case nil, is NSNull: address = nil
        case let text as String:
            do throws(UsageError) {
                address = try service.address(text, from: "“address”", environment)
            } catch {
                throw BadLine(String(error.description.dropLast()))
            }
        default: throw BadLine("“address” is not a string")
        }
        token = try TokenOrigin(object["token"], of: service, kind, environment)
    }
}

/// The reason why a line of input doesn't describe an account. The reason is a clause, such as “it is not a JSON object
/// on one line”. It never quotes the line, because the line may contain a token.
struct BadLine: Error {
    var problem: String

    init(_ problem: String) { self.problem = problem }
}

/// The identity of an account: its service, and the name that the input gives to the account.
struct AccountID: Hashable, Sendable {
    typealias Service = Access.Service

    var service: Service
    var account: String

    /// The name of the account in messages, such as `exist account “a-17”`.
    var title: String { "\(service.rawValue) account “\(account.onOneLine)”" }

    /// A hash that decides which shard contains the account. To get the index of the shard, the hash is divided by the
    /// number of shards, and the remainder is the index. The hash is the same on every machine.
    ///
    /// The hash is a 64-bit FNV-1a hash whose upper half is folded into the lower half, because the low bits of FNV-1a
    /// are not uniform.
    var shardHash: UInt64 {
        let name = "\(service.rawValue)\0\(account)"
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash ^ (hash >> 32)
    }

    /// The hash by which sets and dictionaries identify the account. It takes 16 bytes, regardless of the name's
    /// length. With a million accounts, the probability that two have the same key is less than 10⁻²⁶.
    var key: HashKey { HashKey(service.rawValue, account) }
}

extension AccountID.Service {
    /// Returns the title of the service with this raw value, or the raw value itself if no service has it.
    static func title(of name: String) -> String { Self(rawValue: name)?.title ?? name }
}
