import JSON

/// The result of a run.
public struct ChaosReport: Sendable {
    /// The seed of plan, pushes and answers.
    public var seed: UInt64
    /// How long pushes were sent, in seconds.
    public var seconds: Int
    /// The wanted pushes per second.
    public var rate: Int
    /// The comparison of both sides.
    public var books: Ledger
    /// How often each act was performed.
    public var acts: [String: Int] = [:]
    /// Connections that the sender opened.
    public var connections = 0
    /// After a tenth of the pushes, after half of them, and after everything was closed.
    public var footprints: (start: Footprint, middle: Footprint, end: Footprint)

    /// Whether no promise was broken and at least a quarter of the pushes was accepted. So a sender that sends nothing
    /// fails.
    public var isClean: Bool {
        books.violations.isEmpty && books.endings[Int(Ending.accepted.rawValue)] * 4 >= books.sent
    }

    /// One JSON object without a newline.
    public var line: String {
        var writer = JSONWriter(reservingCapacity: 2_048)
        writer.beginObject()
        writer.key("seed")
        writer.int(seed)
        writer.key("seconds")
        writer.int(seconds)
        writer.key("rate")
        writer.int(rate)
        writer.key("pushes")
        writer.int(books.sent)
        writer.key("outcomes")
        writer.beginObject()
        for ending in Ending.allCases where ending != .open {
            writer.key("\(ending)")
            writer.int(books.endings[Int(ending.rawValue)])
        }
        writer.endObject()
        writer.key("logged")
        writer.int(books.logged)
        writer.key("connections")
        writer.int(connections)
        writer.key("acts")
        writer.beginObject()
        for (name, count) in acts.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            writer.int(count)
        }
        writer.endObject()
        writeFootprints(&writer)
        writeViolations(&writer)
        writer.endObject()
        return writer.string
    }

    private func writeFootprints(_ writer: inout JSONWriter) {
        for (key, path) in [("rss_kb", \Footprint.residentKilobytes), ("descriptors", \Footprint.descriptors)] {
            writer.key(key)
            writer.beginObject()
            let (start, middle, end) = footprints
            for (name, footprint) in [("start", start), ("middle", middle), ("end", end)] {
                writer.key(name)
                writer.int(footprint[keyPath: path])
            }
            writer.endObject()
        }
    }

    private func writeViolations(_ writer: inout JSONWriter) {
        writer.key("violations")
        writer.beginObject()
        for violation in Violation.allCases {
            guard let count = books.violations[violation] else { continue }
            writer.key(violation.rawValue)
            writer.beginObject()
            writer.key("count")
            writer.int(count)
            writer.key("pushes")
            writer.beginArray()
            for number in books.examples[violation] ?? [] { writer.int(number) }
            writer.endArray()
            writer.endObject()
        }
        writer.endObject()
    }
}
