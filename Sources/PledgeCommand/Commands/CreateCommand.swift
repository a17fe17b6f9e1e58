import ExistKit

enum CreateCommand {
    private static let types: KeyValuePairs<String, ValueType> = [
        "tag": .boolean, "count": .int, "decimal": .float, "text": .string, "duration": .periodMin,
        "time-of-day": .minFromMidnight, "percentage": .percentage, "rating": .scale,
    ]
    static let type = Option<ValueType>.choice(
        "--type", types, "what its values are: " + types.map(\.key).joined(separator: ", "), defaultValue: "tag")
    static let group = Option.text(
        "--group", "NAME", "a group's name", "its group, such as productivity or health (default custom)")

    static let command = Command(
        name: "create", summary: "create an attribute or a tag of your own, which “pledge set” can then store",
        part: .writing, operands: .init(form: "LABEL…", count: .atLeastOne),
        options: [type, group] + Listing.options + Access.options,
        examples: [
            "pledge create \"Done working\" --type time-of-day --group productivity": "a time of each day",
            "pledge create coffee \"late dinner\"": "two tags",
        ]
    ) { arguments in
        let writing = try Writing(arguments)
        let type = try arguments.value(type)
        let made = try writing.existAPI.create(
            arguments.operands.map { label in
                .custom(label: label, group: arguments[group] ?? "custom", valueType: type)
            }
        ).wait().attributeResponse
        try writing.print(
            columns: [
                .init("attribute", "Created"), .init("label", "Label"), .init("group", "Group"), .init("type", "Type"),
            ],
            rows: made.success.map { item in
                let type = types.first { $0.value == item.valueType }?.key
                return [.text(item.name), .text(item.label), .text(item.group.name), .optional(type)]
            }, emptyMessage: "Nothing was created.")
        return writing.report(made, "created", arguments.operands)
    }
}
