import JSON

/// Members of a payload beside `aps`: checked and rendered once, copied into each push.
public struct CustomMembers: Sendable, Equatable {
    /// No members.
    public static let none = CustomMembers()

    /// Names that the payload gives itself.
    static let reserved: Set<String> = ["aps", "conversation_id", "domain", "action"]

    /// `,"name":value` for each member.
    let rendered: [UInt8]

    private init() {
        rendered = []
    }

    /// Members of a name and a JSON text each, in their order.
    ///
    /// - Throws: `APNsError.reservedMember` for a name that would overwrite the payload's own or another's,
    ///   `APNsError.malformedMember` for a value that is no JSON.
    public init(_ members: [(name: String, json: String)]) throws(APNsError) {
        var names = Self.reserved
        var rendered: [UInt8] = []
        for (name, json) in members {
            guard names.insert(name).inserted else { throw .reservedMember(name: name) }
            guard (try? JSONValue(parsing: json)) != nil else { throw .malformedMember(name: name) }
            rendered.append(UInt8(ascii: ","))
            JSONText.append(name, to: &rendered)
            rendered.append(UInt8(ascii: ":"))
            rendered.append(contentsOf: json.utf8)
        }
        self.rendered = rendered
    }
}
