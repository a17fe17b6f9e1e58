import PledgeTestSupport
import Testing

@Suite("The models' initializers for an app's tests")
struct InitializerTests {
    private struct Model {
        var properties: [Substring] = []
        var initializers: [(parameters: [Substring], body: Substring)] = []
    }

    /// Returns the public structures of a module that can be decoded, by name.
    private static func models(of module: String) throws -> [String: Model] {
        let decodable = try Set(
            Repository.symbols(module).filter { $0.declaration == "is Decodable" }
                .compactMap { $0.path.split(separator: ".").last.map(String.init) })
        var models: [String: Model] = [:]
        for path in Repository.paths(below: "Sources/\(module)", ending: ".swift") {
            let source = try Repository.text("Sources/\(module)/\(path)")
            for type in source.matches(of: #/(?m)^( *)public struct (\w+)[^\n]*\{\n((?:(?!\1\}).*\n)*)/#) {
                guard decodable.contains(String(type.2)) else { continue }
                var model = Model()
                for line in type.3.matches(of: #/(?m)^ +public (?:var|let) (\w+): [^{=\n]+$/#)
                where line.0.prefix(while: { $0 == " " }).count == type.1.count + 4 { model.properties.append(line.1) }
                for found in type.3.matches(
                    of: #/(?m)^( +)public init\(([^{}]+?)\) \{(?: (.*) \}|\n((?:(?!\1\}).*\n)*))/#)
                {
                    let parameters = found.2.matches(of: #/(?:^|\s)(?:\w+ )?(\w+): /#).map(\.1)
                    model.initializers.append((parameters, found.3 ?? found.4 ?? ""))
                }
                models["\(type.2)"] = model
            }
        }
        return models
    }

    /// The properties that no initializer sets: the service rarely sends them, or they don't come from the service. An app can
    /// set them afterward.
    private static let others: Set = [
        "ExternalAccountProvider.managingOrganization", "ExternalAccountProvider.relatedProvider",
        "FailedAttribute.index", "FailedAttribute.label", "FailedAttribute.sent",
        "NotificationHistoryModel.contentVersion", "NotificationHistoryModel.recipients",
        "NotificationHistoryModel.schedule", "SurveyAnswer.event", "SurveyAnswer.schedule", "UpdatedAttribute.index",
    ]

    @Test(
        "Each initializer stores its parameters in properties of the same name; together, they set every property",
        arguments: ["ExistKit", "MyDataHelpsKit"])
    func stored(module: String) throws {
        let models = try Self.models(of: module)
        #expect(models.values.map(\.initializers.count).reduce(0, +) > 10)
        for (name, model) in models {
            // Skips this model: administrators set most of its properties, and few of them matter to an app.
            if name == "ProjectParticipant" { continue }
            let inits = model.initializers
            for (parameters, body) in inits {
                let words = Set(body.split { !$0.isLetter && !$0.isNumber })
                for parameter in parameters { #expect(words.contains(parameter), "\(name).\(parameter)") }
                for line in body.matches(of: #/(?m)^ *(?:self\.)?(\w+) = (.*)$/#) where parameters.contains(line.1) {
                    #expect(line.2.split { !$0.isLetter && !$0.isNumber }.contains(line.1), "\(name).\(line.1)")
                }
            }
            guard !inits.isEmpty else { continue }
            let left = model.properties.filter { property in
                !Self.others.contains("\(name).\(property)")
                    && !inits.contains { $0.body.contains("\(property) = ") || $0.body.contains("\(property): ") }
            }
            #expect(left == [], "\(name) is without them")
        }
    }
}
