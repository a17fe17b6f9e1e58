import ExistKit
import Foundation
import PledgeTestSupport

/// Random changes to a participant's data.
struct ParticipantChanges: RandomChanges {
    private var random: SeededGenerator
    private let fixture: ParticipantFixture
    private var points: [Int: (namespace: String, observed: Date)] = [:]
    private var tasks: [Int: (isOpen: Bool, inserted: Date)] = [:]
    private var results: [Int: Date] = [:]
    private var sent: [Int: Date] = [:]
    /// Device data points of version 2, with their days.
    private var newer: [Int: (type: String, day: Date)] = [:]
    private var number = 0

    init(seed: UInt64, fixture: ParticipantFixture) {
        random = SeededGenerator(seed: seed)
        self.fixture = fixture
    }

    private mutating func some<Value>(_ values: [Int: Value]) -> (key: Int, value: Value)? {
        values.keys.sorted().randomElement(using: &random).flatMap { key in values[key].map { (key, $0) } }
    }

    private func isRecent(_ date: Date) -> Bool { fixture.clock.now.timeIntervalSince(date) < 12 * 86_400 }

    mutating func step() {
        number += 1
        // The time on one of the service's servers, whose clocks differ by up to twenty minutes.
        let now = fixture.clock.now.addingTimeInterval(-Double(Int.random(in: 0...1_200_000, using: &random)) / 1000)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            // Adds points, sometimes many at once. Some were observed long ago.
            let namespace = Bool.random(using: &random) ? "Fitbit" : "AppleHealth"
            for _ in 0..<(Int.random(in: 0..<4, using: &random) == 0 ? 130 : 5) {
                number += 1
                let observed = now.addingTimeInterval(-Double(Int.random(in: 0...9_000_000, using: &random)))
                points[number] = (namespace, observed)
                put(number, namespace, observed, now)
            }
        case 2:
            guard let (key, point) = some(points) else { return }
            put(key, point.namespace, point.observed, now)
        case 3:
            tasks[number] = (true, now)
            fixture.sandbox.putTask(number, status: "incomplete", inserted: now, modified: now)
        case 4:
            guard let (key, task) = some(tasks), task.isOpen || isRecent(task.inserted) else { return }
            let status = ["incomplete", "complete", "closed"].randomElement(using: &random) ?? ""
            tasks[key] = (status == "incomplete", task.inserted)
            fixture.sandbox.putTask(key, status: status, inserted: task.inserted, modified: now)
        case 5:
            results[number] = now
            for item in 0...Int.random(in: 0...3, using: &random) {
                fixture.sandbox.putAnswer(
                    number * 10 + item, result: number, item == 2 ? ["a, b", "7"] : ["\(item)"], inserted: now)
            }
        case 6:
            guard let (key, inserted) = some(results), isRecent(inserted) else { return }
            results[key] = nil
            fixture.sandbox.removeAnswers(result: key)
        case 7:
            sent[number] = now
            fixture.sandbox.putNotification(number, status: "Succeeded", sent: now)
        case 8:
            guard let (key, date) = some(sent), isRecent(date) else { return }
            fixture.sandbox.putNotification(key, status: "Unsubscribed", sent: date)
        case 9:
            // Adds points of the last days, and changes a recent one. Older points don't change, because only a full
            // sync reads points from before the overlap again.
            for _ in 0..<(Int.random(in: 0..<5, using: &random) == 0 ? 130 : 3) {
                number += 1
                let type = ["steps-daily", "distance-daily"].randomElement(using: &random) ?? ""
                newer[number] = (type, now - Double(Int.random(in: 0...10, using: &random)) * 86_400)
                putV2(number, now)
            }
            if let (key, point) = some(newer), isRecent(point.day) { putV2(key, now) }
        case 10:
            guard let (key, point) = some(newer), isRecent(point.day) else { return }
            newer[key] = nil
            fixture.sandbox.removePointV2(key, of: fixture.sandbox.participantIdentifier)
        default:
            // Advances the clock by minutes to days, or sometimes sets it back a little.
            let seconds =
                Int.random(in: 0..<5, using: &random) == 0 ? -1_000 : Int.random(in: 60...400_000, using: &random)
            fixture.clock.advance(by: Double(seconds))
        }
    }

    private mutating func putV2(_ number: Int, _ modified: Date) {
        guard let point = newer[number] else { return }
        fixture.sandbox.putPointV2(
            number, of: fixture.sandbox.participantIdentifier, namespace: "GoogleHealth", type: point.type,
            value: ["7", "1.50", ""].randomElement(using: &random) ?? "", day: "\(ExistDay(point.day, in: .gmt))",
            modified: modified)
    }

    private mutating func put(_ number: Int, _ namespace: String, _ observed: Date, _ modified: Date) {
        let value = ["7", "007", "1.50", "", "High", "-3.25"].randomElement(using: &random) ?? ""
        fixture.sandbox.putPoint(
            number, namespace: namespace, type: "Steps", value: value, observed: observed, modified: modified)
    }
}
