import Logging

@testable import Systemd

/// The two texts that are written from the events' definitions: the catalog and the tables of docs/JOURNAL.md.
enum EventText {
    /// The message catalog as journalctl(1) reads it (systemd, "Journal Message Catalogs").
    static var catalog: String {
        let head = """
            # What `journalctl -x` says of nudged's entries. Written from Sources/Systemd/Events, and held equal by a test:
            #   NUDGED_WRITE=1 swift test --filter EventTests

            """
        return head + Event.all.map(entry).joined(separator: "\n")
    }

    private static func entry(_ event: Event) -> String {
        var text = """
            -- \(event.messageID)
            Subject: \(event.subject)
            Defined-By: nudged
            Documentation: file:///usr/share/doc/nudged/JOURNAL.md

            \(wrapped(event.meaning))

            """
        if let remedy = event.remedy { text += "\n" + wrapped("What to do: " + remedy) + "\n" }
        return text
    }

    private static func wrapped(_ text: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= 76 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A table for each group of events.
    static var tables: String {
        Event.groups.map { group in
            let head =
                "**\(group.title)**\n\n| event, id | priority | what it says | what to do | fields |\n| --- | --- | --- | --- | --- |\n"
            return head + group.events.map(row).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func row(_ event: Event) -> String {
        let limit = event.repeats.map { " At most \($0.lines) in \($0.seconds) s of a kind." } ?? ""
        let fields = event.fields.map { "`\($0)`" }.joined(separator: ", ")
        return
            "| `\(event.name)` \(event.messageID) | \(priority(event.level)) | \(plain(event.meaning))\(limit) | \(plain(event.remedy ?? "")) | \(fields) |"
    }

    private static func priority(_ level: Logger.Level) -> String { level == .error ? "err" : level.rawValue }

    /// A placeholder is the name of its field.
    private static func plain(_ text: String) -> String {
        text.split(separator: "@", omittingEmptySubsequences: false).enumerated().map { place, part in
            place.isMultiple(of: 2) ? String(part) : "`\(part)`"
        }.joined()
    }
}
