import JSON

/// What a daemon says of its reloads, in `reload.json` of its runtime directory.
struct ReloadWord: Sendable, Equatable {
    /// Reloads that were begun since the daemon's start, and those that are over.
    var begun = 0
    var done = 0
    /// What was wrong with the last one that is over; empty: it is in force.
    var faults: [String] = []

    /// Which reload reads files that are no older than a look at this word: not the one that may be under way.
    var next: Int { begun + 1 }

    init() {}

    /// One object.
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("begun")
        json.int(begun)
        json.key("done")
        json.int(done)
        json.key("faults")
        json.beginArray()
        for fault in faults { json.string(fault) }
        json.endArray()
        json.endObject()
        return json.string
    }

    /// Nil where it is no such object.
    init?(json text: String) {
        guard let json = try? JSONValue(parsing: text), let begun = json["begun"]?.integer,
            let done = json["done"]?.integer, case .array(let faults)? = json["faults"]
        else { return nil }
        self.begun = Int(begun)
        self.done = Int(done)
        self.faults = faults.compactMap { if case .string(let fault) = $0 { fault } else { nil } }
    }
}
