import Foundation

/// A person of the project; all share the same data, except for their identity.
struct ProjectPerson: Sendable {
    /// The initial number of persons, which exceeds a page of 200.
    static let count = 240

    /// The position in order of enrollment, from 0.
    let number: Int
    let identifier: String
    let id: String
    let linkIdentifier: String

    /// - Parameter identifier: The project's identifier; nil for one derived from the number.
    init(_ number: Int, identifier: String? = nil) {
        self.number = number
        guard number > 0 else {
            self.identifier = ParticipantBackend.participantIdentifier
            (id, linkIdentifier) = (ParticipantBackend.participantID, ParticipantBackend.linkIdentifier)
            return
        }
        self.identifier = identifier ?? "ÅRE-\(1_000 + number)"
        (id, linkIdentifier) = (SandboxID.make(.person, number), SandboxID.make(.link, number))
    }

    var demographics: [String: ServerJSON] {
        guard number > 0 else { return Self.maya }
        let own: [String: ServerJSON] = [
            "email": .string("person-\(number)@example.net"), "unsubscribedFromEmails": .string("\(number % 3 == 1)"),
            "unsubscribedFromSms": .string("\(number % 5 == 1)"),
        ]
        return Self.maya.merging(own) { $1 }
    }

    /// Whether the person has left the project; the data remains.
    private var hasWithdrawn: Bool { number % 12 == 7 }

    /// The person's arm of the study.
    var arm: String { number % 2 == 0 ? "B" : "A" }

    /// The ID of the arm's segment.
    var segment: String { SandboxID.make(.segment, number % 2) }

    func enrolled(after first: Date) -> Date { first.addingTimeInterval(Double(number) * 600) }

    /// Returns whether the identifier, the name, or the email address contains a text, ignoring case.
    func matches(_ text: String) -> Bool {
        ([identifier] + ["firstName", "lastName", "email"].compactMap { demographics[$0]?.string })
            .contains { $0.range(of: text, options: .caseInsensitive) != nil }
    }

    func json(firstEnrolled: Date) -> ServerJSON {
        let enrolled = enrolled(after: firstEnrolled)
        return [
            "id": .string(id), "enrolled": .bool(!hasWithdrawn),
            "enrollmentDate": .string(ZonedTime.text(enrolled, hoursEast: 0)),
            "withdrawDate": hasWithdrawn
                ? .string(ZonedTime.text(enrolled.addingTimeInterval(30 * 86_400), hoursEast: 0)) : nil,
            "insertedDate": .string(ZonedTime.text(enrolled.addingTimeInterval(-3 * 86_400), hoursEast: 0)),
            "invitationStatus": nil, "participantIdentifier": .string(identifier), "secondaryIdentifier": nil,
            "linkIdentifier": .string(linkIdentifier), "demographics": .object(demographics),
            "customFields": ["ARM": .string(arm)], "excludeFromExport": .bool(number % 7 == 3),
            "accountEmail": demographics["email"] ?? nil, "accountMobilePhone": nil,
        ]
    }

    private static let maya: [String: ServerJSON] = [
        "email": "maya.lindqvist@example.net", "mobilePhone": "+46 70 555 01 23", "firstName": "Maya",
        "middleName": nil, "lastName": "Lindqvist", "street1": "Björkvägen 4", "street2": "", "city": "Åre",
        "postalCode": "837 52", "dateOfBirth": "1987-02-28", "preferredLanguage": "sv", "gender": "F",
        "utcOffset": "+01:00:00", "timeZone": "Europe/Stockholm", "unsubscribedFromEmails": "false",
        "unsubscribedFromSms": "true",
    ]
}
