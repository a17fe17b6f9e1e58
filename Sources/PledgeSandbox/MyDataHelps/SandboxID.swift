/// IDs in the service's form, the same on every run.
enum SandboxID {
    /// The kind of record an ID belongs to. The position is part of the ID: append new cases at the end.
    enum Kind: Int {
        case point, context, task, survey, result, answer, notification, ticket, organization, person, link,
            segment, pointV2
    }

    static func make(_ kind: Kind, _ number: Int) -> String {
        let digits = String(number, radix: 16)
        let tail = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        return "a1b2c3\((10 + kind.rawValue).padded(to: 2))-5a1c-4f2e-9b3d-\(tail)"
    }
}
