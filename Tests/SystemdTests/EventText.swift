/// What `systemd/nudged.catalog` says of the events.
struct EventText {
    struct Entry {
        var subject = ""
        var meaning = ""
        var remedy: String?
    }

    /// By the event's id.
    private(set) var entries: [String: Entry] = [:]

    /// - Parameter catalog: as journalctl(1) reads it (systemd, "Journal Message Catalogs").
    init(catalog: String) {
        var id = ""
        for paragraph in catalog.split(separator: "\n\n") {
            let lines = paragraph.split(separator: "\n").filter { !$0.hasPrefix("#") }
            let text = lines.joined(separator: " ")
            let remedy = "What to do: "
            if let first = lines.first, first.hasPrefix("-- ") {
                id = String(first.dropFirst(3))
                entries[id, default: Entry()].subject += lines.dropFirst().first?.dropFirst("Subject: ".count) ?? ""
            } else if text.hasPrefix(remedy) {
                entries[id, default: Entry()].remedy = String(text.dropFirst(remedy.count))
            } else if !text.isEmpty {
                entries[id, default: Entry()].meaning += text
            }
        }
    }

    /// The fields' names in the placeholders of a text.
    static func placeholders(_ text: String) -> [String] {
        text.split(separator: "@", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
            $0.element.dropFirst("NUDGED_".count).lowercased()
        }
    }
}
