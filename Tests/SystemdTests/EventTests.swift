import Glibc
import Testing

@testable import Systemd

/// The definitions, the catalog, and what docs/JOURNAL.md says of both.
@Suite struct EventTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    private static func read(_ path: String) throws -> String {
        try Credentials.readText(repository + path, limit: 1 << 20)
    }

    @Test func events_areDistinctAndWellFormed() {
        #expect(Set(Event.allCases.map(\.messageID)).count == Event.allCases.count)
        #expect(Set(Event.allCases.map(\.name)).count == Event.allCases.count)
        for event in Event.allCases {
            #expect(event.messageID.utf8.count == 32, "\(event.name)")
            #expect(event.messageID.allSatisfy { "0123456789abcdef".contains($0) }, "\(event.name)")
            #expect(event.name.allSatisfy { $0 == "_" || ("a"..."z").contains($0) }, "\(event.name)")
        }
    }

    @Test func catalog_saysWhatEachEventMeans() throws {
        let catalog = EventText(catalog: try Self.read("/systemd/nudged.catalog")).entries
        #expect(Set(catalog.keys) == Set(Event.allCases.map(\.messageID)))
        for event in Event.allCases {
            let entry = try #require(catalog[event.messageID], "\(event.name)")
            #expect(entry.subject == event.subject && !entry.meaning.isEmpty, "\(event.name)")
            #expect(!event.subject.isEmpty && !event.subject.contains("@") && !event.subject.hasSuffix("."))
            // What somebody should look at says what to do.
            #expect(event.level < .warning || entry.remedy != nil, "\(event.name)")
        }
    }

    /// The page says for each event of warning or worse when to act, and names no other.
    @Test func journalGuide_namesTheEventsToAlertOn() throws {
        let named = try Self.names(#/`([a-z_]+)`/#, in: "## Alert on events")
        let grave = Event.allCases.filter { $0.level >= .warning }.map(\.name)
        #expect(named.sorted() == grave.sorted())
    }

    /// What `docs/JOURNAL.md` names in the first list below a title.
    private static func names(_ name: Regex<(Substring, Substring)>, in title: String) throws -> [String] {
        let page = try read("/docs/JOURNAL.md")
        let part = page[try #require(page.firstRange(of: title + "\n")).upperBound...]
        let list = part[try #require(part.firstRange(of: "\n- ")).lowerBound...]
        return list[..<(list.firstRange(of: "\n\n")?.lowerBound ?? list.endIndex)].matches(of: name).map { "\($0.1)" }
    }
}

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
}

@Suite struct PrintableTests {
    /// What would clear a terminal, begin a line or turn the order of characters round.
    static let unprintable = [
        "\u{0}", "\r", "\t", "\u{7}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{AD}", "\u{200B}", "\u{200E}", "\u{202A}",
        "\u{202E}", "\u{2066}", "\u{2069}", "\u{61C}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{E0041}",
    ]

    @Test(arguments: PrintableTests.unprintable) func text_whenItControlsTheTerminal_isMasked(scalar: String) {
        #expect("a\(scalar)b".printable == "a\u{FFFD}b" && "a\(scalar)b\nc".printableLines == "a\u{FFFD}b\nc")
        #expect("a\nb".printable == "a\u{FFFD}b")
    }

    @Test func text_whenItIsText_staysAsItIs() {
        for text in ["", "task 42", "Ünïcödé", "日本語", "👋🏽", "e\u{301}", "a\u{A0}b", "\u{FFFD}"] {
            #expect(text.printable == text && text.printableLines == text && text.printableJSON == text)
        }
    }

    @Test(arguments: [
        ("\u{9B}", "\\u009b"), ("\u{7F}", "\\u007f"), ("\u{202E}", "\\u202e"), ("\u{E0041}", "\\udb40\\udc41"),
    ]) func json_whenAValueControlsTheTerminal_hasAnEscape(scalar: String, escape: String) {
        #expect("{\"a\":\"x\(scalar)y\"}\n".printableJSON == "{\"a\":\"x\(escape)y\"}\n")
    }

    /// A log line on a terminal, with an operating system command and a turned order.
    @Test func logLine_whenItHoldsEscapes_hasTheirNumbers() {
        #expect(LogLine.escaped("a\u{1B}]0;x\u{7}b\u{202E}c\n\t") == "a\\u{1b}]0;x\\u{7}b\\u{202e}c\\n\\t")
    }
}
