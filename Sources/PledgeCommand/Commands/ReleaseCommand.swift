import ExistKit
import Foundation

enum ReleaseCommand {
    static let command = Command(
        name: "release", summary: "release attributes, so that a device or an app provides them again", part: .writing,
        operands: .init(form: "NAME…", count: .atLeastOne), options: Listing.options + Access.options,
        examples: ["pledge release weight": "release what --take-over acquired"],
        notes: [
            .init(
                title: "WHAT HAPPENS NEXT",
                text: """
                    Exist assigns the attribute to another connected service that provides it. If there is none, the attribute
                    is no longer in use, but its values remain.
                    """)
        ]
    ) { arguments in
        let writing = try Writing(arguments)
        let attributes = try AttributeFinder.find(arguments.operands, in: writing.attributes().wait())
        let result = try writing.existAPI.release(names: attributes.map(\.name)).wait().attributeResponse
        let known = AttributeFinder(try writing.attributes().wait())
        try writing.print(
            columns: [.init("attribute", "Released"), .init("service", "Filled in by")],
            rows: result.success.map { item in
                [.text(item.name), .optional(known.match(item.name)?.serviceInfo?.label)]
            }, emptyMessage: "Nothing was released.")
        return writing.report(result, "released", attributes.map(\.name))
    }
}
