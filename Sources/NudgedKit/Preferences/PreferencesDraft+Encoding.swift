import JSON

extension PreferencesDraft {
    /// The text for the column `notification_preferences`: a JSON object.
    ///
    /// - Parameter column: what the column holds now. Its keys that the schema does not know are kept (a number among them that is no 64-bit
    ///   integer as a double); those that it knows are replaced, or taken out where they are unset here.
    /// - Throws: the first problem: what the daemon would not take is not written.
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
        return writer.string
    }

    /// What is set.
    private var values: [PreferenceKey: JSONValue] {
        var values: [PreferenceKey: JSONValue] = [
            .checkInsEnabled: .bool(checkInsEnabled), .frequency: .string(frequency.rawValue),
            .priorityKeywords: .array(priorityKeywords.map { .string($0) }), .allowUrgent: .bool(allowUrgent),
            .messagesEnabled: .bool(messagesEnabled), .maxAnalysesPerHour: .int(Int64(maxAnalysesPerHour)),
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

    /// What the column holds; nothing where it is no object.
    private static func members(of column: String?) -> [JSONObject.Member] {
        guard let column, case .object(let object)? = try? JSONValue(parsing: column) else { return [] }
        return object.members
    }
}
