import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport

/// Random changes to an account's data in a sandbox.
protocol RandomChanges {
    mutating func step()

    /// Records that a sync was completed.
    mutating func noteSync()
}

extension RandomChanges {
    mutating func noteSync() {}
}

/// Random changes to the data of an Exist user. The values of an existing attribute change only on the last fourteen
/// days, because a sync reads only those days again.
struct ExistChanges: RandomChanges {
    private var random: SeededGenerator
    private let fixture: ExistFixture
    private var types: [String: Int] = [:]
    private var inactive: Set<String> = []
    private var removed: [String] = []
    /// The attributes that a sync has found missing. Only these may be added again: an attribute that is removed and
    /// added again between two syncs looks unchanged to the sync.
    private var gone: [String] = []
    private var number = 0

    init(seed: UInt64, fixture: ExistFixture) {
        random = SeededGenerator(seed: seed)
        self.fixture = fixture
        for _ in 0..<Int.random(in: 1...3, using: &random) { addAttribute() }
    }

    private var today: ExistDay { ExistDay(fixture.clock.now, in: .gmt) }

    /// Returns a random day whose value may still change. The range is one day shorter than the overlap that a sync
    /// reads again, because in a time zone far to the west, the user's current day may be one day earlier.
    private mutating func day() -> ExistDay { today.advanced(by: -Int.random(in: 0...12, using: &random)) }

    private mutating func addAttribute() {
        let name: String
        if let old = gone.last, Bool.random(using: &random) {
            gone.removeLast()
            name = old
        } else {
            number += 1
            name = "a\(number)"
        }
        let type = [0, 1, 2, 3, 7].randomElement(using: &random) ?? 0
        types[name] = type
        fixture.sandbox.addAttribute(name, valueType: type, isLowPriority: Int.random(in: 0..<5, using: &random) == 0)
        // The values may be of any past day, because the next sync reads the whole history of a new attribute.
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let day = today.advanced(by: -Int.random(in: 0...400, using: &random))
            fixture.sandbox.setValue(value(type), of: name, on: day.description)
        }
    }

    private mutating func value(_ type: Int) -> ServerJSON {
        switch type {
        case 1: Bool.random(using: &random) ? .number(Double.random(in: 0...99, using: &random)) : .integer(7)
        case 2: .string(["Kaffe ☕️", "é", "e\u{301}", "'; --", ""].randomElement(using: &random) ?? "")
        case 7: 1
        default: .integer(Int.random(in: 0...9, using: &random))
        }
    }

    mutating func noteSync() {
        gone += removed
        removed = []
    }

    mutating func step() {
        let name = types.keys.sorted().randomElement(using: &random)
        let isActive = name.map { !inactive.contains($0) } ?? false
        switch Int.random(in: 0..<12, using: &random) {
        case 0: addAttribute()
        case 1:
            guard let name, types.count > 1 else { return }
            fixture.sandbox.removeAttribute(name)
            types[name] = nil
            inactive.remove(name)
            removed.append(name)
        case 2: if let name { fixture.sandbox.changeAttribute(name, label: "\(name) \(number) é") }
        case 3:
            guard let name else { return }
            inactive.insert(name)
            fixture.sandbox.changeAttribute(name, isActive: false)
        case 4:
            guard let name else { return }
            inactive.remove(name)
            fixture.sandbox.changeAttribute(name, isActive: true)
        case 5: if let name, isActive { fixture.sandbox.setValue(.null, of: name, on: day().description) }
        case 6:
            let zones = ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Stockholm", "America/New_York", "GMT"]
            let zone = TimeZone(identifier: zones.randomElement(using: &random) ?? "GMT") ?? .gmt
            fixture.sandbox.move(to: zone)
        case 7, 8:
            fixture.clock.advance(
                by: 86_400
                    * Double(Int.random(in: 1...(Int.random(in: 0..<4, using: &random) == 0 ? 60 : 3), using: &random)))
        default:
            guard let name, isActive, let type = types[name] else { return }
            fixture.sandbox.setValue(value(type), of: name, on: day().description)
        }
    }
}
