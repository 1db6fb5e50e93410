package import JSON

/// A JSON value for a client that takes an `Encodable`, such as supabase-swift: the named parameters of a call.
public struct EncodableJSON: Sendable, Equatable {
    package let value: JSONValue

    package init(_ value: JSONValue) {
        self.value = value
    }

    /// Reads a JSON text (RFC 8259), such as that of `PreferencesDraft.encoded(over:)`.
    ///
    /// - Returns: nil if the text is no JSON.
    public init?(parsing text: String) {
        guard let value = try? JSONValue(parsing: text) else { return nil }
        self.value = value
    }

    /// The value as JSON, for a client that sends the body itself.
    public var text: String { value.document }
}

#if !hasFeature(Embedded)
    extension EncodableJSON: Encodable {
        /// Encodes the value itself: an object becomes an object.
        public func encode(to encoder: any Encoder) throws {
            switch value {
            case .object(let object):
                var container = encoder.container(keyedBy: Key.self)
                for member in object.members {
                    try container.encode(EncodableJSON(member.value), forKey: Key(stringValue: member.key))
                }
            case .array(let elements):
                var container = encoder.unkeyedContainer()
                for element in elements { try container.encode(EncodableJSON(element)) }
            case .null:
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            case .bool(let bool):
                var container = encoder.singleValueContainer()
                try container.encode(bool)
            case .int(let int):
                var container = encoder.singleValueContainer()
                try container.encode(int)
            case .number(let number):
                var container = encoder.singleValueContainer()
                try container.encode(number)
            case .string(let string):
                var container = encoder.singleValueContainer()
                try container.encode(string)
            }
        }

        /// Any key.
        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) {
                self.stringValue = stringValue
            }

            init?(intValue: Int) {
                return nil
            }
        }
    }
#endif
