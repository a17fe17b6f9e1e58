import ExistKit
import MyDataHelpsKit
import PledgeCoding

/// `pledge profile`: shows whose account it is.
enum ProfileCommand {
    static let isMyDataHelps = Option.flag("--mydatahelps", "the participant of MyDataHelps instead")

    static let command = Command(
        name: "profile", summary: "whose account it is, where they are, and which units they use", part: .reading,
        options: [isMyDataHelps] + Listing.options + Access.existOptions,
        examples: [.init("pledge profile --json", "for a script")], notes: [Listing.note]
    ) { arguments, environment in
        let access = Access(arguments, environment)
        let (facts, isDemo) = try arguments[isMyDataHelps] ? participant(access) : user(access)
        try Listing(
            columns: [.init("field", "Field"), .init("value", "Value")],
            rows: facts.compactMap { fact in fact.value.map { [.text(fact.name), .text($0)] } }, isDemo: isDemo
        ).write(arguments, environment)
        return 0
    }

    private typealias Fact = (name: String, value: String?)

    private static func user(_ access: Access) throws -> ([Fact], Bool) {
        let account = try access.exist()
        let user = try account.client.user().wait().user
        func units(_ isImperial: Bool, _ imperial: String, _ metric: String) -> String {
            isImperial ? imperial : metric
        }
        return (
            [
                ("username", user.username), ("name", Readable.fullName(user.firstName, user.lastName)),
                ("time zone", user.timezone),
                ("today", user.today.description), ("distance", units(user.imperialDistance, "miles", "kilometres")),
                ("weight", units(user.imperialWeight, "pounds", "kilograms")),
                ("energy", units(user.imperialEnergy, "kilocalories", "kilojoules")),
                ("liquid", units(user.imperialLiquid, "fluid ounces", "millilitres")),
                ("temperature", units(user.imperialTemperature, "Fahrenheit", "Celsius")),
                ("trial", user.trial ? "yes" : nil), ("source", account.source),
            ], account.isDemo
        )
    }

    private static func participant(_ access: Access) throws -> ([Fact], Bool) {
        let account = try access.participant()
        let (person, project) = try when(
            fulfilled: account.client.getParticipantInfo(), account.client.getProjectInfo()
        ).wait()
        return (
            [
                ("participant", person.participantIdentifier),
                ("name", Readable.fullName(person.demographics.firstName, person.demographics.lastName)),
                ("project", project.name), ("organization", project.organization.name),
                ("enrolled", person.enrollmentDate.map { Timestamp.text($0) }), ("source", account.source),
            ], account.isDemo
        )
    }
}
