// Embedded Swift has no values of protocol types.
#if !hasFeature(Embedded)
    package protocol JSONPart {
        var part: JSONValue { get }
    }

    /// A JSON object with its members in the order of the literal. Nil becomes null.
    package struct Fields: JSONPart, Sendable, ExpressibleByDictionaryLiteral {
        private var members: [JSONObject.Member]

        package init(dictionaryLiteral members: (String, (any JSONPart)?)...) {
            self.members = members.map { JSONObject.Member(key: $0, value: $1?.part ?? .null) }
        }

        package init(_ counts: [(name: String, count: Int)]) {
            members = counts.map { JSONObject.Member(key: $0.name, value: $0.count.part) }
        }

        package var object: JSONObject { JSONObject(members) }
        package var part: JSONValue { .object(object) }

        /// `document` of a literal.
        package static func text(_ fields: Fields) -> String { fields.document }

        package static func + (first: Fields, second: Fields) -> Fields {
            var all = first
            all.members += second.members
            return all
        }
    }

    extension JSONPart {
        package var document: String { part.document }
    }

    extension JSONObject: JSONPart { package var part: JSONValue { .object(self) } }
    extension JSONValue: JSONPart { package var part: JSONValue { self } }
    extension String: JSONPart { package var part: JSONValue { .string(self) } }
    extension Bool: JSONPart { package var part: JSONValue { .bool(self) } }
    extension Int: JSONPart { package var part: JSONValue { .int(Int64(self)) } }
    extension Int16: JSONPart { package var part: JSONValue { .int(Int64(self)) } }
    extension Int32: JSONPart { package var part: JSONValue { .int(Int64(self)) } }
    extension Int64: JSONPart { package var part: JSONValue { .int(self) } }
    extension Array: JSONPart where Element: JSONPart { package var part: JSONValue { .array(map(\.part)) } }
#endif
