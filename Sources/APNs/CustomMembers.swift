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

    /// The members of a JSON object, its text copied as it is: numbers keep all their digits.
    ///
    /// - Throws: as above; `APNsError.malformedMember` with an empty name for what is no object.
    public init(object text: String) throws(APNsError) {
        guard case .object(let object)? = try? JSONValue(parsing: text) else { throw .malformedMember(name: "") }
        // Its own names differ, or it was no object; that two look alike to a reader is the app's part.
        for member in object.members where Self.reserved.contains(member.key) {
            throw .reservedMember(name: member.key)
        }
        guard !object.members.isEmpty else {
            rendered = []
            return
        }
        // From the first member to the last; what is around the braces is white space.
        var inner = text.utf8[...]
        while let first = inner.popFirst(), first != UInt8(ascii: "{") {}
        while let last = inner.popLast(), last != UInt8(ascii: "}") {}
        rendered = [UInt8(ascii: ",")] + inner
    }
}
