import ExistKit
import Foundation
import PledgeCoding
import PledgeHistory
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeServer

/// One person prints values of Exist in every output that has values, and another person stores them. Each of the two
/// may use metric or imperial units.
@Suite("Storing the values that another command printed, with `pledge set --from`", .serialized)
final class StoredAgainTests: FolderSuite {
    private static let today = TestClock.today
    private static let dayCount = 6

    /// An output that is used as a file for `--from`.
    private enum Output: String, CaseIterable {
        case tabs, csv, json, jsonl, daily, value, exportLine, exportValues
    }

    /// The attributes of an account. They include every type, and every unit that depends on a person's settings.
    private static let types: KeyValuePairs<String, ValueType> = [
        "steps": .int, "coins": .int, "water": .int, "weight": .float, "steps_distance": .float,
        "active_energy": .float, "weather_temp_max": .float, "weather_wind_speed": .float,
        "weather_precipitation": .float, "sodium": .float, "money_spent": .float, "mood_note": .string,
        "sleep": .periodMin, "garden": .periodMin, "sleep_end": .minFromMidnight, "sleep_start": .minFromMidday,
        "body_fat": .percentage, "holiday": .boolean, "mood": .scale,
    ]

    private static let texts = [
        "=1+1", "a;=2", "'=x", "''-x", "'tis", "line\nbreak", "a\r\nb\r", "tab\there", "  spaces  ", "back\\slash \\n",
        "\"quoted\", x", "1,5", "7\u{0}", "\u{2028}\u{85}", "- a\n- b", "null", "5.0", "{", "\u{1B}[31m", "é",
        "e\u{301}",
    ]

    private static func value(_ type: ValueType, _ random: inout SeededGenerator) -> ServerJSON {
        switch type {
        case .int:
            let numbers = [0, 7, 8000, 4_207, 9_007_199_254_740_993, Int.random(in: 0...5000, using: &random)]
            return .integer(numbers.randomElement(using: &random) ?? 0)
        case .float:
            let number = Double.random(in: 0...400, using: &random)
            let numbers = [0, 70.8, 1e-7, 12_345_678.9, number, (number * 10).rounded() / 10, number.rounded()]
            return .number(numbers.randomElement(using: &random) ?? 0)
        case .string: return .string(texts.randomElement(using: &random) ?? "")
        case .periodMin: return .integer(Int.random(in: 0...2000, using: &random))
        case .minFromMidnight, .minFromMidday: return .integer(Int.random(in: 0...1439, using: &random))
        case .percentage:
            let number = Double.random(in: 0...1, using: &random)
            return .number([0, 1, 0.214, number].randomElement(using: &random) ?? 0)
        case .boolean: return .integer(Int.random(in: 0...1, using: &random))
        case .scale: return .integer(Int.random(in: 1...9, using: &random))
        case .unknown: return .null
        }
    }

    /// Returns services with the account of a person who uses imperial or metric units.
    private func account(imperial: Bool) throws -> BothSandboxes {
        let sandboxes = try BothSandboxes(isEmpty: true)
        for (name, type) in Self.types { sandboxes.exist.addAttribute(name, valueType: type.rawValue) }
        let units = ["distance", "weight", "energy", "liquid", "temperature"]
        let flags = Dictionary(uniqueKeysWithValues: units.map { ("imperial_\($0)", ServerJSON.bool(imperial)) })
        let profile: [String: ServerJSON] = [
            "username": "maya", "timezone": .string(TimeZone.current.identifier),
            "local_time": .string(Timestamp.text(TestClock.noon)),
        ]
        sandboxes.server.script.next(.max, matching: "GET /api/2/accounts/profile/") { _ in
            .json(.object(profile.merging(flags) { $1 }))
        }
        return sandboxes
    }

    private struct Key: Hashable {
        var attribute: String
        var day: ExistDay
    }

    /// Returns the values that the service has for the days before today.
    private func values(of sandboxes: BothSandboxes) async throws -> [Key: AttributeValue] {
        let existAPI = ExistAPI(token: sandboxes.exist.token, timeout: 600, baseURL: sandboxes.server.baseURL)
        let attributes = try await existAPI.attributes(days: Self.dayCount + 1).value.attributes
        return attributes.reduce(into: [:]) { all, attribute in
            // The service itself increases today's values.
            for item in attribute.values where item.day < Self.today {
                all[Key(attribute: attribute.name, day: item.day)] = item.value
            }
        }
    }

    /// Syncs an account into a new database, and returns one of its tables as CSV, as another program would export it.
    private func table(_ name: String, of sandboxes: BothSandboxes) async throws -> String {
        let path = folder.path("\(UUID()).db")
        try await Tool.run(["sync", path, "--quiet"], sandboxes.exist.environment(at: sandboxes))
        let result = try History(reading: path).query("SELECT * FROM \(name)")
        let rows = result.rows.map { row in
            row.map { cell in
                switch cell {
                case .null: ""
                case .integer(let number): "\(number)"
                case .real(let number): "\(number)"
                case .text(let text): "\"" + text.replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\""
                }
            }
        }
        return ([result.columns] + rows).map { $0.joined(separator: ",") + "\r\n" }.joined()
    }

    private func print(_ output: Output, of sandboxes: BothSandboxes) async throws -> String {
        let environment = sandboxes.exist.environment(at: sandboxes)
        switch output {
        case .tabs, .csv, .json, .jsonl:
            let form = output == .tabs ? [] : ["--\(output.rawValue)"]
            return try await Tool.run(["attributes", "--days", "\(Self.dayCount + 1)"] + form, environment).output
        case .daily, .value: return try await table(output.rawValue, of: sandboxes)
        case .exportLine, .exportValues:
            let line = #"{"service":"exist","account":"a","token":"\#(sandboxes.exist.token)"}"# + "\n"
            let days = ["--days", "\(Self.dayCount + 1)"]
            let export = try await Tool.run(["export", "--quiet"] + days, sandboxes.environment, input: line).output
            guard output == .exportValues else { return export }
            let object = try #require(ServerJSON(Data(export.utf8))?.object)
            return try (object["values"]?.array ?? []).map { String(decoding: try $0.encoded(), as: UTF8.self) + "\n" }
                .joined()
        }
    }

    @Test(
        "Values from every output are stored exactly, in metric or imperial units; ambiguous values are refused",
        arguments: [false, true])
    func roundTrip(isImperial: Bool) async throws {
        let writer = try account(imperial: isImperial)
        Fuzzing.run(cases: 1, "stored again") { seed, random in
            for (name, type) in Self.types {
                for day in 1...Self.dayCount {
                    let value = Self.value(type, &random)
                    writer.exist.setValue(value, of: name, on: "\(Self.today.advanced(by: -day))")
                }
            }
        }
        let before = try await values(of: writer)
        #expect(before.count == Self.types.count * Self.dayCount)
        for output in Output.allCases {
            let text = try await print(output, of: writer)
            for readsImperial in [false, true] {
                let reader = try account(imperial: readsImperial)
                let file = try folder.file("t", holding: text).path
                let run = try ToolRun(
                    ["set", "--from", file, "--take-over", "--skip-unreadable"], reader.exist.environment(at: reader))
                let status = await run.end()
                let after = try await values(of: reader)
                let comment = Comment(rawValue: "\(output), read by \(readsImperial ? "imperial" : "metric")")
                for (key, value) in after {
                    #expect(value == before[key], "\(comment): \(key)")
                }
                let refused = before.count - after.count
                // Only the table `value` has no units, so only its values can be ambiguous.
                #expect(output == .value ? refused > 0 : refused == 0, "\(comment): \(run.errors)")
                #expect(status == (refused == 0 ? 0 : 4), "\(comment): \(run.errors)")
                let errors = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                let told = errors.matches(of: #/Line [0-9]+: /#).count
                let more = errors.firstMatch(of: #/And ([0-9,]+) more/#).flatMap { Int($0.1.filter { $0 != "," }) }
                // `refused` doesn't count today's values, because the service makes them up. Their lines may be
                // reported, too.
                #expect(told + (more ?? 0) >= refused, "\(comment): \(run.errors)")
            }
        }
    }

    @Test("Every output of values has exactly the columns that `pledge set --from` is known to read")
    func outputs() async throws {
        // If this fails because an output has a new or renamed column, check whether `set --from` reads that column.
        let writer = try account(imperial: true)
        for (name, type) in Self.types {
            var random = SeededGenerator(seed: 1)
            writer.exist.setValue(Self.value(type, &random), of: name, on: "\(Self.today)")
        }
        func head(_ output: Output) async throws -> String {
            String(try await print(output, of: writer).prefix { !$0.isNewline })
        }
        #expect(try await head(.csv) == "group,attribute,label,day,value,unit")
        #expect(try await head(.tabs) == "group\tattribute\tlabel\tday\tvalue\tunit")
        #expect(try await head(.daily) == "account,day,attribute,label,group,value,unit")
        #expect(try await head(.value) == "account,attribute,day,value,removed")
        let lines = try await print(.exportValues, of: writer).split(separator: "\n")
        let names = Set(lines.flatMap { ServerJSON(Data($0.utf8))?.object?.keys.map { $0 } ?? [] })
        #expect(names == ["attribute", "day", "value", "unit"])
    }
}

extension ExistSandbox {
    /// The environment of a person who has only this account of Exist. Requests go to the server of both services.
    fileprivate func environment(at sandboxes: BothSandboxes) -> [String: String] {
        ["EXIST_TOKEN": token, "EXIST_BASE_URL": sandboxes.server.baseURL.absoluteString]
    }
}
