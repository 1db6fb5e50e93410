import JSON

/// The state of a daemon's reloads: the file `reload.json` in its runtime directory.
struct ReloadWord: Sendable, Equatable {
    /// Reloads that were begun since the daemon's start, and those that are over.
    var begun = 0
    var done = 0
    /// What was wrong with the last reload. Empty: its configuration is in force.
    var faults: [String] = []

    /// The first reload that is certain to read files as they are now. One that is running may have read them before.
    var next: Int { begun + 1 }

    init() {}

    /// One JSON object.
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

    /// nil: it is not such an object.
    init?(json text: String) {
        guard let json = try? JSONValue(parsing: text), let begun = json["begun"]?.integer,
            let done = json["done"]?.integer, case .array(let faults)? = json["faults"]
        else { return nil }
        self.begun = Int(begun)
        self.done = Int(done)
        self.faults = faults.compactMap { if case .string(let fault) = $0 { fault } else { nil } }
    }
}
