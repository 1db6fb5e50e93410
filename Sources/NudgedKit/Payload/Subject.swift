/// What a reminder is about, as the app gave it to `nudged_api.set_reminder`.
public struct Subject: Sendable, Hashable {
    /// The kind of thing, such as `task`. Never empty.
    public let type: String
    /// The thing's id among its kind. Never empty. A UUID is in small letters, as the database has it: `UUID.uuidString`
    /// has capitals.
    public let id: String

    /// - Returns: nil if one of the two is empty.
    public init?(type: String, id: String) {
        guard !type.isEmpty, !id.isEmpty else { return nil }
        self.type = type
        self.id = ConversationID(id)?.description ?? id
    }

    /// Two are equal if their UTF-8 is, as in the database. `String` compares by canonical equivalence.
    public static func == (left: Subject, right: Subject) -> Bool {
        left.type.utf8.elementsEqual(right.type.utf8) && left.id.utf8.elementsEqual(right.id.utf8)
    }

    /// By the UTF-8 of both.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Array(type.utf8))
        hasher.combine(Array(id.utf8))
    }
}
