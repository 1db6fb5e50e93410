import JSON

extension Preferences {
    /// Decodes each key independently. The first invalid one, in the order of the calls below, sets `malformed`.
    mutating func decode(_ object: JSONObject) {
        checkInsEnabled = read(object, .checkInsEnabled, Self.bool)
        frequency = read(object, .frequency, Self.named)
        if checkInsEnabled == nil { reject(PreferenceProblem(.checkInsEnabled)) }
        if frequency == nil { reject(PreferenceProblem(.frequency)) }
        timezone = read(object, .timezone, Self.string)
        checkInTime = read(object, .checkInTime, Self.time)
        weekday = int(object, .weekday).map { Int($0) }
        decodeQuietHours(object)
        priorityKeywords = read(object, .priorityKeywords, Self.strings) ?? []
        allowUrgent = optOut(object, .allowUrgent)
        maxPerHour = int(object, .maxPerHour)
        maxPerDay = int(object, .maxPerDay)
        messagesEnabled = optOut(object, .messagesEnabled)
        // Not `read`: a badly written consent is none, and no reason to stop the user's check-ins.
        smartEnabled = object[PreferenceKey.smartEnabled.rawValue].flatMap(Self.bool) ?? false
        maxAnalysesPerHour = int(object, .maxAnalysesPerHour).map { Int($0) } ?? Self.defaultMaxAnalysesPerHour
        fallbackStrategy = read(object, .fallbackStrategy, Self.named) ?? .simpleRules
    }

    /// Both halves or neither: one half alone gives no quiet hours.
    private mutating func decodeQuietHours(_ object: JSONObject) {
        let start = read(object, .quietHoursStart, Self.time)
        let end = read(object, .quietHoursEnd, Self.time)
        switch (start, end) {
        case (let start?, let end?): quietHours = QuietHours(start: start, end: end)
        case (nil, nil): break
        case (_?, nil): reject(PreferenceProblem(missing: .quietHoursEnd, beside: .quietHoursStart))
        case (nil, _?): reject(PreferenceProblem(missing: .quietHoursStart, beside: .quietHoursEnd))
        }
    }

    /// A bool that defaults to true. An invalid value counts as false: an opt-out that was badly written is still an
    /// opt-out.
    private mutating func optOut(_ object: JSONObject, _ key: PreferenceKey) -> Bool {
        guard object[key.rawValue] ?? .null != .null else { return true }
        return read(object, key, Self.bool) ?? false
    }

    /// An integer within the key's range.
    private mutating func int(_ object: JSONObject, _ key: PreferenceKey) -> Int64? {
        read(object, key) { value in
            guard case .int(let int) = value, let range = key.range, range.contains(int) else { return nil }
            return int
        }
    }

    private mutating func read<Value>(
        _ object: JSONObject,
        _ key: PreferenceKey,
        _ decode: (JSONValue) -> Value?
    ) -> Value? {
        guard let value = object[key.rawValue], value != .null else { return nil }
        if let decoded = decode(value) { return decoded }
        reject(PreferenceProblem(key))
        return nil
    }

    private mutating func reject(_ problem: PreferenceProblem) {
        if malformed == nil { malformed = problem.description }
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

    private static func strings(_ value: JSONValue) -> [String]? {
        guard case .array(let elements) = value else { return nil }
        let strings = elements.compactMap(string)
        return strings.count == elements.count ? strings : nil
    }
}
