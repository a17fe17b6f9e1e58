import ExistKit
import Foundation
import PledgeCoding

/// Writes JSON directly as bytes, without a tree or an encoder, because it is most of a batch's work.
struct JSONText {
    private var buffer = ByteBuffer()
    private var needsComma = false

    var bytes: [UInt8] { buffer.bytes }
    var count: Int { buffer.count }

    /// The bytes so far; writing continues after them.
    mutating func takeBytes() -> [UInt8] { buffer.takeBytes() }

    mutating func object(_ name: StaticString? = nil, _ body: (inout JSONText) -> Void) {
        open("{", name)
        body(&self)
        close("}")
    }

    /// Writes a list of objects.
    mutating func objects<Items: Sequence>(
        _ name: StaticString, _ items: Items, _ body: (inout JSONText, Items.Element) -> Void
    ) {
        list(name, items) { json, item in json.object { body(&$0, item) } }
    }

    mutating func texts(_ name: StaticString, _ items: some Sequence<String>) {
        list(name, items) { json, item in json.value { $0.append(quoted: item) } }
    }

    private mutating func list<Items: Sequence>(
        _ name: StaticString?, _ items: Items, _ body: (inout JSONText, Items.Element) -> Void
    ) {
        open("[", name)
        for item in items { body(&self, item) }
        close("]")
    }

    /// Opens a container that is closed later, when more has been read.
    mutating func open(_ bracket: Unicode.Scalar, _ name: StaticString? = nil) {
        if let name { key(name) } else { comma() }
        buffer.append(byte: UInt8(ascii: bracket))
        needsComma = false
    }

    mutating func close(_ bracket: Unicode.Scalar) {
        buffer.append(byte: UInt8(ascii: bracket))
        needsComma = true
    }

    mutating func endLine() { buffer.append(byte: 0x0A) }

    // Writes a member; without a value, it is left out.

    mutating func field(_ name: StaticString, _ value: String?) {
        if let value { member(name) { $0.append(quoted: value) } }
    }

    mutating func field(_ name: StaticString, _ value: Int?) {
        if let value { member(name) { $0.append(value) } }
    }

    mutating func field(_ name: StaticString, _ value: Double?) {
        if let value { member(name) { $0.append(json: value) } }
    }

    mutating func field(_ name: StaticString, _ value: Bool?) {
        if let value { member(name) { $0.append(value ? "true" : "false") } }
    }

    mutating func field(_ name: StaticString, _ value: ExistDay?) {
        field(name, value?.description)
    }

    /// Writes a UTC time, to the second.
    mutating func field(_ name: StaticString, _ value: Date?) {
        field(name, value.map { Timestamp.text($0) })
    }

    /// Writes a time as the service gave it.
    mutating func moment(_ name: StaticString, _ value: Date?, offset: Int? = nil) {
        field(name, value.map { Timestamp.text($0, offset: offset ?? 0) })
    }

    mutating func field(_ name: StaticString, _ values: [String: String]) {
        key(name)
        append(.object(values.mapValues { .string($0) }))
    }

    mutating func field(_ name: StaticString, _ value: AttributeValue) {
        switch value {
        case .integer(let number): field(name, number)
        case .decimal(let number): field(name, number)
        case .text(let text): field(name, text)
        case .other(let json):
            key(name)
            append(json)
        }
    }

    private mutating func comma() {
        if needsComma { buffer.append(byte: UInt8(ascii: ",")) }
    }

    /// Names are plain literals.
    @inline(__always)
    private mutating func key(_ name: StaticString) {
        buffer.append(key: name, afterComma: needsComma)
        needsComma = false
    }

    @inline(__always)
    private mutating func member(_ name: StaticString, _ write: (inout ByteBuffer) -> Void) {
        key(name)
        value(write)
    }

    @inline(__always)
    private mutating func value(_ write: (inout ByteBuffer) -> Void) {
        comma()
        write(&buffer)
        needsComma = true
    }

    mutating func append(_ json: JSONValue) {
        switch json {
        case .null: value { $0.append("null") }
        case .bool(let flag): value { $0.append(flag ? "true" : "false") }
        case .integer(let number): value { $0.append(number) }
        case .number(let number): value { $0.append(json: number) }
        case .decimal(let number): value { $0.append(plain: "\(number)") }
        case .string(let text): value { $0.append(quoted: text) }
        case .array(let items): list(nil, items) { $0.append($1) }
        case .object(let members):
            object { json in
                for member in members.sorted(by: { ExactText($0.key) < ExactText($1.key) }) {
                    json.value { $0.append(quoted: member.key) }
                    json.buffer.append(byte: UInt8(ascii: ":"))
                    json.needsComma = false
                    json.append(member.value)
                }
            }
        }
    }
}
