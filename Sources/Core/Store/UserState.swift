package import Policy
import TimeZones

/// What nudged remembers of a user for the policy: the column `nudged.person.state`. Only the daemon uses it.
package struct UserState: Sendable, Equatable {
    /// A hash of what sets `since`; nil: never evaluated.
    package var fingerprint: Int64?
    /// The template of the last check-in that counts; nil: none is known.
    package var template: Int32?
    package var history: History

    package init(fingerprint: Int64? = nil, template: Int32? = nil, history: History = History()) {
        self.fingerprint = fingerprint
        self.template = template
        self.history = history
    }

    /// The second format also has what counts in the badge. It is written only if there is some.
    ///
    /// A new format is read by one version and written by the next: daemons of two versions work side by side.
    private static let formats: ClosedRange<UInt8> = 1...2

    /// Whether a newer version wrote it.
    static func isNewer(_ bytes: [UInt8]) -> Bool { bytes.first.map { $0 > formats.upperBound } ?? false }

    package var bytes: [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Each instant is the distance to the one before: in order, most take three bytes.
    func write(to writer: inout ByteWriter) {
        writer.byte(history.unseen == nil ? 1 : 2)
        writer.optional(fingerprint) { $0.number($1) }
        writer.optional(template) { $0.number(Int64($1)) }
        var last: Int64 = 0
        func step(_ value: Int64) -> Int64 {
            defer { last = value }
            return value &- last
        }
        writer.count(history.sent.count)
        for instant in history.sent { writer.number(step(instant.seconds)) }
        writer.count(history.checkIns.count)
        for checkIn in history.checkIns {
            writer.number(step(checkIn.at.seconds))
            writer.number(Int64(checkIn.slot.days))
        }
        writer.count(history.closed.count)
        for slot in history.closed { writer.number(Int64(slot.days)) }
        if let unseen = history.unseen {
            writer.number(Int64(unseen.count))
            writer.number(step(unseen.lastAt.seconds))
        }
    }

    /// nil: no daemon of this version wrote it. Instants and dates that no calendar holds are left out.
    package init?(bytes: [UInt8]) {
        do throws(Malformed) {
            var reader = ByteReader(bytes)
            try self.init(&reader)
            try reader.end()
        } catch { return nil }
    }

    /// Reads no further than the state: more may follow.
    init(_ reader: inout ByteReader) throws(Malformed) {
        let format = try reader.byte()
        guard Self.formats.contains(format) else { throw Malformed() }
        fingerprint = try reader.isThere() ? reader.number() : nil
        template = try reader.isThere() ? Int32(clamping: reader.number()) : nil
        var last: Int64 = 0
        func step(_ reader: inout ByteReader) throws(Malformed) -> Instant {
            last &+= try reader.number()
            return Instant(seconds: last)
        }
        history = History()
        history.sent = try reader.list(step)
        history.checkIns = try reader.list { reader throws(Malformed) -> CheckIn? in
            let at = try step(&reader)
            return LocalDate(slot: try reader.number()).map { CheckIn(at: at, slot: $0) }
        }.compactMap(\.self)
        let closed = try reader.list { reader throws(Malformed) in LocalDate(slot: try reader.number()) }
        history.closed = closed.compactMap(\.self)
        if format == 2 {
            let count = Int32(clamping: try reader.number())
            let lastAt = try step(&reader)
            if count > 0 { history.unseen = UnseenPushes(count: count, lastAt: lastAt) }
        }
    }
}

extension LocalDate {
    /// A check-in's slot. nil for years outside 1970 to 9999: the search for a next slot must end.
    init?(slot days: Int64) {
        guard (0...2_932_896).contains(days) else { return nil }
        self.init(days: Int32(days))
    }
}
