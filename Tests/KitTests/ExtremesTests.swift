import Foundation
import PledgeTestSupport
import Testing

/// Checks that no number and no date makes the process trap. An extreme argument is either clamped, or the promise is
/// rejected with an error.
@Suite("Numbers and dates at their extremes", .serialized)
struct ExtremesTests {
    static let modules = ["Pledge", "PledgeHTTP", "ExistKit", "MyDataHelpsKit", "PledgeBatch", "PledgeHistory"]
    private let rows = Extreme.promises.merging(Extreme.requests) { $1 }.merging(Extreme.exist) { $1 }
        .merging(Extreme.participant) { $1 }.merging(Extreme.older) { $1 }.merging(Extreme.batch) { $1 }

    @Test(
        "Every public initializer and function that takes a number or a date returns, even for extreme arguments",
        arguments: Extreme.all)
    func returns(extreme: Extreme) async throws {
        for (_, call) in rows.sorted(by: { $0.key < $1.key }) { await call(extreme) }
    }

    @Test("The table has a row for each public initializer and function that takes a number or a date")
    func complete() throws {
        let members = try Set(Self.modules.flatMap { try Self.members(of: $0) })
        #expect(members.count > 60)
        let needed = try Set(Self.modules.flatMap { try Self.members(of: $0, exceptOfLists: true) })
        #expect(needed.subtracting(rows.keys).sorted() == [], "without a row")
        #expect(Set(rows.keys).subtracting(members).sorted() == [], "no such member")
    }

    /// Returns the names of a module's public functions and initializers that take a number or a date. Subscripts are
    /// left out, because an index beyond the end traps, as in an array. The initializer of a model that only stores its
    /// parameters is left out, too, because it can't trap.
    ///
    /// - Parameter exceptOfLists: Whether to leave out the queries of lists whose only numbers and dates are the page's
    ///   number, the page's size, and date limits. All queries pass these to one function, so a row for one query is
    ///   enough.
    private static func members(of module: String, exceptOfLists: Bool = false) throws -> [String] {
        let symbols = try Repository.symbols(module)
        let names = Set(symbols.map(\.path))
        func conforms(_ type: Substring, to name: String) -> Bool {
            symbols.contains { $0.path == type && $0.declaration == "is \(name)" }
        }
        func isStored(_ name: String) -> Bool {
            guard let start = name.range(of: ".init(") else { return false }
            let type = name[..<start.lowerBound]
            return conforms(type, to: "Decodable") && !conforms(type, to: "CustomStringConvertible")
                && name[start.upperBound...].dropLast().split(separator: ":").allSatisfy {
                    names.contains("\(type).\($0)")
                }
        }
        return symbols.compactMap { symbol in
            let declaration = symbol.declaration
            guard declaration.contains(/\b(func|init)\b/), !declaration.hasPrefix("case "),
                declaration.contains("init?(") || !isStored(symbol.path),
                let open = declaration.firstIndex(of: "(")
            else { return nil }
            var depth = 0
            var parameters = declaration[open...].prefix { character in
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
                return depth > 0
            }
            if exceptOfLists, symbol.path.hasPrefix("ExistQuery.") || symbol.path.hasSuffix(":limit:pageID:)") {
                parameters.replace(#/(?:limit: Int\??|page: Int|\w+: Date\?) = /#, with: "")
            }
            return parameters.contains(/\b(Int|Double|TimeInterval|Date|Float)\b/)
                ? symbol.path : nil
        }
    }
}

/// A number of each type and a date, all of them extreme.
struct Extreme: Sendable, CustomStringConvertible {
    typealias Call = @Sendable (Extreme) async -> Void

    let int: Int
    let double: Double
    var date: Date { Date(timeIntervalSince1970: double) }
    var description: String { "\(int), \(double)" }

    static let all = zip(
        [.min, .max, .min + 1, .max - 1, -1, 0, 1, .max / 100 + 1],
        [.nan, .infinity, -.infinity, 1e300, -1e300, -0.0, .leastNonzeroMagnitude, 253_402_300_800]
    ).map { Extreme(int: $0, double: $1) }

    /// Gets the descriptions of all values that conform to `CustomStringConvertible`. Other values are skipped: their
    /// default description would include their properties, and Foundation traps if it describes an extreme date.
    static func show(_ value: Any) {
        switch value {
        case let list as [Any]: list.forEach(show)
        case let value as any CustomStringConvertible: _ = value.description
        default: break
        }
    }

    static func show<Value>(_ outcome: Result<Value, any Error>) {
        switch outcome {
        case .success(let value): show(value)
        case .failure(let error): _ = "\(error)"
        }
    }
}
