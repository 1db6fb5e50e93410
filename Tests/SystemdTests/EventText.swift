import Logging

@testable import Systemd

/// What `systemd/nudged.catalog` says of the events, and the tables of docs/JOURNAL.md, which are written from both.
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

    /// A table for each group of events.
    var tables: String {
        Event.groups.map { group in
            let head =
                "**\(group.title)**\n\n| event, id | priority | what it says | what to do | fields |\n| --- | --- | --- | --- | --- |\n"
            return head + group.events.map(row).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private func row(_ event: Event) -> String {
        let entry = entries[event.messageID] ?? Entry()
        let limit = event.repeats.map { " At most \($0.lines) in \($0.seconds) s of a kind." } ?? ""
        let fields = event.fields.map { "`\($0)`" }.joined(separator: ", ")
        let priority = event.level == .error ? "err" : event.level.rawValue
        return
            "| `\(event.name)` \(event.messageID) | \(priority) | \(Self.plain(entry.meaning))\(limit) | \(Self.plain(entry.remedy ?? "")) | \(fields) |"
    }

    /// A placeholder is the name of its field.
    private static func plain(_ text: String) -> String {
        text.split(separator: "@", omittingEmptySubsequences: false).enumerated().map { place, part in
            place.isMultiple(of: 2) ? String(part) : "`\(part)`"
        }.joined()
    }

    /// The fields' names in the placeholders of a text.
    static func placeholders(_ text: String) -> [String] {
        text.split(separator: "@", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
            $0.element.dropFirst("NUDGED_".count).lowercased()
        }
    }
}
