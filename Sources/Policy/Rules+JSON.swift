public import JSON
import NudgedPreferences

extension Rules {
    /// Reads the object `rules` of docs/POLICY.md, "Input". Absent keys have the default. Unknown keys are ignored.
    public init(json: JSONValue) throws(PolicyError) {
        try self.init(FieldReader(json, path: "rules"))
    }

    init(_ fields: FieldReader) throws(PolicyError) {
        try self.init(
            defaultTimezone: try fields.nullable("default_timezone")?.string(),
            checkInTime: try fields.optional("check_in_time")?.timeOfDay() ?? Self.defaultCheckInTime,
            spreadMinutes: try fields.optional("spread_minutes")?.int(0...1440) ?? 0,
            quietHours: Self.quietHours(fields),
            quietEndJitterMinutes: try fields.optional("quiet_end_jitter_minutes")?.int(0...240) ?? 0,
            maxStalenessMinutes: try fields.optional("max_staleness_minutes")?.int(1...2880) ?? 240,
            maxPerHour: try fields.nullable("max_per_hour")?.cap(),
            maxPerDay: try fields.nullable("max_per_day")?.cap()
        )
    }

    /// Null means none. An absent key has the default.
    private static func quietHours(_ fields: FieldReader) throws(PolicyError) -> QuietHours? {
        guard let field = fields.optional("quiet_hours") else { return defaultQuietHours }
        guard !field.isNull else { return nil }
        let hours = try field.object()
        return QuietHours(
            start: try hours.required("start", "HH:MM").timeOfDay(),
            end: try hours.required("end", "HH:MM").timeOfDay()
        )
    }
}
