import JSON

extension PreferencesDraft {
    /// The text for the column `notification_preferences`: one JSON object.
    ///
    /// - Parameter column: the column's present text. Keys that nudged does not know are kept; numbers in them that are
    ///   no 64-bit integers become doubles. Known keys are replaced, or removed if they are nil in this draft.
    /// - Throws: the first of `problems`, or that of a text which is longer than the daemon reads. So the app never
    ///   writes what the daemon would refuse.
    public func encoded(over column: String? = nil) throws(PreferenceProblem) -> String {
        if let problem = problems.first { throw problem }
        var members: [JSONObject.Member] = []
        var left = values
        for member in Self.members(of: column) {
            guard let key = PreferenceKey(rawValue: member.key) else {
                members.append(member)
                continue
            }
            if let value = left.removeValue(forKey: key) { members.append(.init(key: key.rawValue, value: value)) }
        }
        for key in PreferenceKey.allCases {
            if let value = left[key] { members.append(.init(key: key.rawValue, value: value)) }
        }
        var writer = JSONWriter()
        writer.value(.object(JSONObject(members)))
        let text = writer.string
        guard Self.length(text) <= Preferences.longest else {
            throw PreferenceProblem(.priorityKeywords, wanted: "fewer: all keys together may have 65,536 characters")
        }
        return text
    }

    /// How long the text is as jsonb, which writes a space after each comma and colon.
    private static func length(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1 == "," || $1 == ":" ? 2 : 1) }
    }

    /// The values to write, by key. A key that is nil here is not written.
    private var values: [PreferenceKey: JSONValue] {
        var values: [PreferenceKey: JSONValue] = [
            .checkInsEnabled: .bool(checkInsEnabled), .frequency: .string(frequency.rawValue),
            .priorityKeywords: .array(priorityKeywords.map { .string($0) }), .allowUrgent: .bool(allowUrgent),
            .messagesEnabled: .bool(messagesEnabled), .smartEnabled: .bool(smartEnabled),
            .maxAnalysesPerHour: .int(Int64(maxAnalysesPerHour)),
            .fallbackStrategy: .string(fallbackStrategy.rawValue),
        ]
        values[.timezone] = timezone.map { .string($0) }
        values[.checkInTime] = checkInTime.map { .string($0.description) }
        values[.weekday] = weekday.map { .int(Int64($0)) }
        values[.quietHoursStart] = quietHoursStart.map { .string($0.description) }
        values[.quietHoursEnd] = quietHoursEnd.map { .string($0.description) }
        values[.maxPerHour] = maxPerHour.map { .int($0) }
        values[.maxPerDay] = maxPerDay.map { .int($0) }
        return values
    }

    /// The column's members; empty if it holds no JSON object.
    private static func members(of column: String?) -> [JSONObject.Member] {
        guard let column, case .object(let object)? = try? JSONValue(parsing: column) else { return [] }
        return object.members
    }
}
