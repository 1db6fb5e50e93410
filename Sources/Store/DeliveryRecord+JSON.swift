import FoundationEssentials
import JSON
import TimeZones

extension DeliveryRecord {
    /// Rows as `nudged.intent.records` holds them; nil: there are none.
    static func json(_ records: [DeliveryRecord]) -> String? {
        guard !records.isEmpty else { return nil }
        var json = JSONWriter()
        json.beginArray()
        for record in records { record.write(to: &json) }
        json.endArray()
        return json.string
    }

    private func write(to json: inout JSONWriter) {
        json.beginObject()
        for (name, text) in [
            ("user_id", userID.uuidString.lowercased()), ("kind", kind), ("key", key), ("slot", slot?.iso),
            ("device_hash", deviceHash), ("outcome", outcome.rawValue), ("reason", reason),
            ("attempted_at", attemptedAt.rfc3339),
        ] {
            json.key(name)
            json.string(text)
        }
        json.key("status")
        if let status { json.int(status) } else { json.null() }
        if let decision, let value = try? JSONValue(parsing: decision) {
            json.key("decision")
            json.value(value)
        }
        json.endObject()
    }
}
