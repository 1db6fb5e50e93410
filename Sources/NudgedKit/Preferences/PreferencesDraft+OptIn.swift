extension PreferencesDraft {
    /// The keywords of a user who opts in, in English. An app in another language passes its own.
    public static let defaultKeywords = ["urgent", "asap", "emergency", "deadline"]

    /// What the app writes when a user opts in.
    ///
    /// A user who never did (the column is null) gets the client's defaults: check-ins a few times a week, and
    /// keywords. Another user keeps every choice, and gets check-ins again.
    public static func optingIn(
        over preferences: Preferences,
        keywords: [String] = defaultKeywords
    ) -> PreferencesDraft {
        var draft = PreferencesDraft(preferences)
        draft.checkInsEnabled = true
        if preferences.isNull { draft.priorityKeywords = keywords }
        return draft
    }
}
