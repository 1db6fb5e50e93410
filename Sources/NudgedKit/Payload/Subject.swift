/// What a reminder is about, in the app's own words: as it was given to `nudged.set_reminder`.
public struct Subject: Sendable, Hashable {
    /// The kind of thing; not empty.
    public let type: String
    /// Which of them; not empty.
    public let id: String

    /// A subject; nil where a half of it is empty.
    public init?(type: String, id: String) {
        guard !type.isEmpty, !id.isEmpty else { return nil }
        self.type = type
        self.id = id
    }
}
