/// The former spelling.
package enum JSONReply {
    package static func decode<Value: Decodable>(_ type: Value.Type, from reply: HTTPReply) throws -> Value {
        try reply.json(type)
    }
}
