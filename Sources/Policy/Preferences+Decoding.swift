import JSON

extension Preferences {
    /// Each key by itself; the first that is wrong, in the order of policy.md, makes the whole malformed.
    mutating func decode(_ object: JSONObject) {
        checkInsEnabled = read(object, "check_ins_enabled", "true or false", Self.bool)
        frequency = read(object, "frequency", "daily, few_times_a_week or weekly", Self.named)
        if checkInsEnabled == nil { reject("check_ins_enabled", "true or false") }
        if frequency == nil { reject("frequency", "daily, few_times_a_week or weekly") }
        timezone = read(object, "timezone", "a string", Self.string)
        checkInTime = read(object, "check_in_time", "HH:MM", Self.time)
        weekday = read(object, "weekday", "1 (Monday) to 7") { Self.int($0, 1...7) }.map { Int($0) }
        decodeQuietHours(object)
        priorityKeywords = read(object, "priority_keywords", "an array of strings", Self.strings) ?? []
        allowUrgent = optOut(object, "allow_urgent")
        maxPerHour = read(object, "max_per_hour", "an integer of 1 or more") { Self.int($0, 1...Int64.max) }
        maxPerDay = read(object, "max_per_day", "an integer of 1 or more") { Self.int($0, 1...Int64.max) }
        messagesEnabled = optOut(object, "messages_enabled")
        maxAnalysesPerHour = Int(read(object, "max_analyses_per_hour", "5 to 20") { Self.int($0, 5...20) } ?? 10)
        fallbackStrategy =
            read(object, "fallback_strategy", "simple_rules, notify_all or suppress_all", Self.named) ?? .simpleRules
    }

    /// Both halves or neither: half of a night says nothing.
    private mutating func decodeQuietHours(_ object: JSONObject) {
        let start = read(object, "quiet_hours_start", "HH:MM", Self.time)
        let end = read(object, "quiet_hours_end", "HH:MM", Self.time)
        switch (start, end) {
        case (let start?, let end?): quietHours = QuietHours(start: start, end: end)
        case (nil, nil): break
        case (_?, nil): reject("quiet_hours_end", "HH:MM beside quiet_hours_start")
        case (nil, _?): reject("quiet_hours_start", "HH:MM beside quiet_hours_end")
        }
    }

    /// A bool that is true where absent; badly written it is false: an opt-out that was written badly is an opt-out.
    private mutating func optOut(_ object: JSONObject, _ key: String) -> Bool {
        guard object[key] ?? .null != .null else { return true }
        return read(object, key, "true or false", Self.bool) ?? false
    }

    private mutating func read<Value>(
        _ object: JSONObject,
        _ key: String,
        _ wanted: String,
        _ decode: (JSONValue) -> Value?
    ) -> Value? {
        guard let value = object[key], value != .null else { return nil }
        if let decoded = decode(value) { return decoded }
        reject(key, wanted)
        return nil
    }

    private mutating func reject(_ key: String, _ wanted: String) {
        if malformed == nil { malformed = "\(key): wanted \(wanted)" }
    }

    private static func bool(_ value: JSONValue) -> Bool? {
        if case .bool(let bool) = value { bool } else { nil }
    }

    private static func string(_ value: JSONValue) -> String? {
        if case .string(let string) = value { string } else { nil }
    }

    private static func time(_ value: JSONValue) -> TimeOfDay? {
        string(value).flatMap { TimeOfDay($0) }
    }

    private static func named<Name: RawRepresentable<String>>(_ value: JSONValue) -> Name? {
        string(value).flatMap { Name(rawValue: $0) }
    }

    private static func int(_ value: JSONValue, _ range: ClosedRange<Int64>) -> Int64? {
        if case .int(let int) = value, range.contains(int) { int } else { nil }
    }

    private static func strings(_ value: JSONValue) -> [String]? {
        guard case .array(let elements) = value else { return nil }
        let strings = elements.compactMap(string)
        return strings.count == elements.count ? strings : nil
    }
}
