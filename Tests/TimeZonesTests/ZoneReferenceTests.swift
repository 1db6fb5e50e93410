import TestSupport
import Testing
import TimeZones

/// Every zone of the database against Python's zoneinfo over the same files.
struct ZoneReferenceTests {
    private let zones = ZoneDatabase()

    /// Reads `zone instant` lines, writes the offset in seconds of each.
    private static let script = """
        import sys, os, zoneinfo
        from datetime import datetime
        zoneinfo.reset_tzpath(to=[sys.argv[1]])
        name, zone = None, None
        for line in sys.stdin:
            asked, instant = line.split()
            if asked != name:
                name, zone = asked, zoneinfo.ZoneInfo.from_file(open(os.path.join(sys.argv[1], asked), "rb"))
            print(int(datetime.fromtimestamp(int(instant), zone).utcoffset().total_seconds()))
        """

    private func reference(_ questions: [(name: String, instant: Instant)]) throws -> [Int] {
        let lines = questions.map { "\($0.name) \($0.instant.seconds)" }
        return try Python.answers(["-c", Self.script, zones.directory], to: lines).compactMap { Int($0) }
    }

    private func compare(_ what: String, _ questions: [(name: String, instant: Instant)]) throws {
        let references = try reference(questions)
        #expect(references.count == questions.count)
        var zone: Zone?
        for (question, reference) in zip(questions, references) {
            if zone?.name != question.name { zone = try zones.zone(named: question.name) }
            let offset = zone?.offset(at: question.instant)
            #expect(offset == reference, "\(question.name) at \(question.instant.rfc3339)")
        }
        let count = Set(questions.map(\.name)).count
        print("compared with zoneinfo, \(what): \(count) zones, \(questions.count) instants in \(zones.directory)")
    }

    /// From one transition of a zone to the next, as the zone itself tells them.
    private func transitions(_ zone: Zone, _ first: Instant, _ last: Instant) -> [Instant] {
        var found: [Instant] = []
        var instant = first
        while true {
            let next = zone.segment(at: instant).until
            guard next < last else { return found }
            found.append(next)
            instant = next
        }
    }

    @Test func offset_whenTransitionsOf1990To2037_isThatOfZoneinfo() throws {
        let (first, last) = (Instant(seconds: 631_152_000), Instant(seconds: 2_145_916_800))
        let names = zones.names
        #expect(names.count > 400)
        var questions: [(String, Instant)] = []
        for name in names {
            let zone = try #require(try zones.zone(named: name))
            for transition in zone.fileTransitions where transition >= first && transition < last {
                questions += [-1, 0, 1].map { (name, transition + $0) }
            }
            // Transitions that the file leaves to its footer, and days between them, so that none is overlooked.
            for at in transitions(zone, first, last) { questions += [-1, 0, 1].map { (name, at + $0) } }
            questions += (0..<160).map { (name, first + $0 * 9_467_280) }
        }
        #expect(questions.count > 100_000)
        try compare("1990 to 2037, each transition and a second around it, every 110 days", questions)
    }

    @Test func offset_whenFooterYears_isThatOfZoneinfo() throws {
        let (first, last) = (Instant(seconds: 2_145_916_800), Instant(seconds: 4_133_980_800))
        var questions: [(String, Instant)] = []
        for name in zones.names {
            let zone = try #require(try zones.zone(named: name))
            for at in transitions(zone, first, last) { questions += [-1, 0, 1].map { (name, at + $0) } }
            questions += (0..<100).map { (name, first + $0 * 19_880_640) }
        }
        try compare("2038 to 2100 by the footer", questions)
    }
}
