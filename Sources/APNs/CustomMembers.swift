import JSON

/// Members of a payload beside `aps`. Checked and rendered once, then copied into each push.
package struct CustomMembers: Sendable, Equatable {
    /// No members.
    package static let none = CustomMembers()

    /// Names that the payload uses itself.
    static let reserved: Set<String> = ["aps", "conversation_id", "domain", "action", "image_url"]

    /// `,"name":value` for each member.
    let rendered: [UInt8]

    private init() {
        rendered = []
    }

    private init(rendered: [UInt8]) {
        self.rendered = rendered
    }

    /// These members and then others. Their names must differ.
    package func followed(by others: CustomMembers) -> CustomMembers {
        CustomMembers(rendered: rendered + others.rendered)
    }

    /// Members from names and JSON texts, in their order.
    ///
    /// - Throws: `APNsError.reservedMember` for a name that is reserved or given twice, `APNsError.malformedMember` for
    ///   a value that is not JSON.
    package init(_ members: [(name: String, json: String)]) throws(APNsError) {
        // Names are equal if their UTF-8 is. The reserved ones are ASCII.
        var names = Set(Self.reserved.map { Array($0.utf8) })
        var rendered: [UInt8] = []
        for (name, json) in members {
            guard names.insert(Array(name.utf8)).inserted else { throw .reservedMember(name: name) }
            guard (try? JSONValue(parsing: json)) != nil else { throw .malformedMember(name: name) }
            rendered.append(UInt8(ascii: ","))
            JSONText.append(name, to: &rendered)
            rendered.append(UInt8(ascii: ":"))
            rendered.append(contentsOf: json.utf8)
        }
        self.rendered = rendered
    }

    /// The members of a JSON object. The text is copied as it is, so numbers keep all their digits.
    ///
    /// - Throws: `APNsError.reservedMember` for a reserved name. `APNsError.malformedMember` with an empty name if the
    ///   text is not an object.
    package init(object text: String) throws(APNsError) {
        guard case .object(let object)? = try? JSONValue(parsing: text) else { throw .malformedMember(name: "") }
        // Duplicate names are not checked: the text comes from a jsonb value, which has none.
        for member in object.members where Self.reserved.contains(member.key) {
            throw .reservedMember(name: member.key)
        }
        guard !object.members.isEmpty else {
            rendered = []
            return
        }
        // Take the text from the first member to the last. Only white space can be outside the braces.
        var inner = text.utf8[...]
        while let first = inner.popFirst(), first != UInt8(ascii: "{") {}
        while let last = inner.popLast(), last != UInt8(ascii: "}") {}
        rendered = [UInt8(ascii: ",")] + inner
    }
}
