package import Policy
package import TimeZones

package import FoundationEssentials

/// What a decision or an outcome changes for one user: their row, the record, what ended. Written once, by a member.
package struct Change: Sendable, Equatable {
    package let userID: UUID
    /// The turn that it is of. If the row has another one, nothing is written.
    package let turn: Int32
    /// The version that was decided on. If it has changed, `dueAt` is not written: the change has made the user due.
    /// nil: `dueAt` stays as it is.
    package var version: Int64?
    package var dueAt: Instant
    package var evaluatedAt: Instant
    /// docs/POLICY-SPEC.md, `since`.
    package var since: Instant?
    package var state: UserState
    package var ignored: Int16 = 0
    /// What is left of nudges, as JSON, or nil.
    package var retry: String?
    /// What the policy says of the user's check-ins now; nil: as before. For people: the daemon doesn't read it.
    package var reason: Reason?
    /// Whether nothing is written if the user has changed since `version`: for declined nudges, without an intent.
    package var isOnlyIfUnchanged = false
    /// Outcomes, skipped slots and devices, dropped messages.
    package var records: [DeliveryRecord] = []
    /// Messages and reminders that ended. Their rows are deleted.
    package var ended: [UUID] = []
    package var continued: [ReminderContinuation] = []
    package var staleTokens: [StaleToken] = []
    package var environments: [EnvironmentNote] = []
}

/// A token that a 410 proved stale.
package struct StaleToken: Sendable, Equatable {
    package let userID: UUID
    /// Never logged.
    package let token: String
    /// The environment that answered: `sandbox` or `production`.
    package let environment: String
    package let topic: String
    /// Only a registration before this is deleted. Milliseconds since 1970, Apple's own precision.
    package let unregisteredAt: Int64
    /// The push that was answered with 410. The token is deleted only if the record holds that answer.
    package let apnsID: UUID
}

extension Int64 {
    /// The upper half of a person's version: it counts changes to what a decision depends on. The lower half counts
    /// arrivals since then (something new to send). They make the user due and stop nothing.
    package var changes: Int64 { self >> 32 }
}

// MARK: In an intent

extension Change {
    private static let format: UInt8 = 1

    /// For `nudged.intent.contents`: the change that is written if the daemon dies before it knows an outcome. Its
    /// pushes are recorded at the intent's instant.
    package var content: [UInt8] {
        var writer = ByteWriter()
        writer.byte(Self.format)
        writer.number(evaluatedAt.seconds)
        writer.optional(since) { $0.number($1.seconds) }
        state.write(to: &writer)
        writer.number(Int64(ignored))
        writer.optional(retry) { $0.text($1) }
        writer.count(records.count)
        for record in records { record.write(to: &writer) }
        writer.count(ended.count)
        for id in ended { writer.uuid(id) }
        writer.count(continued.count)
        for one in continued { one.write(to: &writer) }
        return writer.bytes
    }

    /// nil: `content` is not of this version. The pushes get the intent's instant (microseconds) and the reason.
    package init?(userID: UUID, turn: Int32, content: [UInt8], attemptedAt: Int64, reason: String) {
        do throws(Malformed) {
            var reader = ByteReader(content)
            guard try reader.byte() == Self.format else { return nil }
            let at = Instant(seconds: try reader.number())
            let since = try reader.isThere() ? Instant(seconds: reader.number()) : nil
            let state = try UserState(&reader)
            self.init(userID: userID, turn: turn, dueAt: at, evaluatedAt: at, since: since, state: state)
            ignored = Int16(clamping: try reader.number())
            retry = try reader.isThere() ? reader.text() : nil
            records = try reader.list { reader throws(Malformed) in
                try DeliveryRecord(&reader, userID, attemptedAt: attemptedAt, reason: reason)
            }
            ended = try reader.list { reader throws(Malformed) in try reader.uuid() }
            continued = try reader.list { reader throws(Malformed) in try ReminderContinuation(&reader, userID) }
            try reader.end()
        } catch { return nil }
    }
}

extension DeliveryRecord {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.text(kind)
        writer.text(key)
        writer.optional(slot) { $0.number(Int64($1.days)) }
        writer.text(deviceHash)
        writer.text(outcome.rawValue)
        // A push is recorded at the intent's instant, and with the reason why its outcome stays unknown.
        writer.optional(apnsID) { $0.uuid($1) }
        if apnsID == nil {
            writer.number(attemptedAt.seconds)
            writer.optional(reason) { $0.text($1) }
            writer.optional(status) { $0.number(Int64($1)) }
        }
        writer.optional(decision) { $0.text($1) }
        writer.optional(template) { $0.number(Int64($1)) }
        writer.optional(localMinute) { $0.number(Int64($1)) }
    }

    fileprivate init(_ reader: inout ByteReader, _ userID: UUID, attemptedAt: Int64, reason: String) throws(Malformed) {
        self.userID = userID
        kind = try reader.text()
        key = try reader.text()
        slot = try reader.isThere() ? LocalDate(slot: reader.number()) : nil
        deviceHash = try reader.text()
        guard let outcome = Outcome(rawValue: try reader.text()) else { throw Malformed() }
        self.outcome = outcome
        let apnsID = try reader.isThere() ? reader.uuid() : nil
        let at = apnsID == nil ? Instant(seconds: try reader.number()).microseconds : attemptedAt
        self.attemptedAt = Instant(nearest: at) ?? Instant(seconds: 0)
        (self.apnsID, self.reason, fraction) = (apnsID, reason, apnsID == nil ? 0 : Int32(at % 1_000_000))
        if apnsID == nil {
            self.reason = try reader.isThere() ? reader.text() : nil
            status = try reader.isThere() ? Int(clamping: reader.number()) : nil
        }
        decision = try reader.isThere() ? reader.text() : nil
        template = try reader.isThere() ? Int32(clamping: reader.number()) : nil
        localMinute = try reader.isThere() ? Int16(clamping: reader.number()) : nil
    }
}

extension ReminderContinuation {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.uuid(id)
        writer.number(Int64(number))
        writer.due(first)
        writer.local(planned)
        writer.due(due)
        writer.number(instant.seconds)
    }

    fileprivate init(_ reader: inout ByteReader, _ userID: UUID) throws(Malformed) {
        func hour(_ reader: inout ByteReader) throws(Malformed) -> PendingReminder.Due {
            switch try reader.byte() {
            case 0: .at(Instant(seconds: try reader.number()))
            case 1: .local(try reader.local())
            default: throw Malformed()
            }
        }
        // Arguments are evaluated in their order, which is that of `write`.
        self.init(
            userID: userID,
            id: try reader.uuid(),
            number: Int(clamping: try reader.number()),
            first: try hour(&reader),
            planned: try reader.local(),
            due: try hour(&reader),
            instant: Instant(seconds: try reader.number())
        )
    }
}

extension ByteWriter {
    fileprivate mutating func uuid(_ id: UUID) { withUnsafeBytes(of: id.uuid) { data($0) } }

    fileprivate mutating func due(_ due: PendingReminder.Due) {
        switch due {
        case .at(let instant):
            byte(0)
            number(instant.seconds)
        case .local(let time):
            byte(1)
            local(time)
        }
    }

    fileprivate mutating func local(_ time: LocalDateTime) {
        number(Int64(time.date.days))
        number(Int64(time.secondOfDay))
    }
}

extension ByteReader {
    fileprivate mutating func uuid() throws(Malformed) -> UUID {
        let bytes = try data()
        guard bytes.count == 16 else { throw Malformed() }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    fileprivate mutating func local() throws(Malformed) -> LocalDateTime {
        LocalDateTime(LocalDate(days: Int32(clamping: try number())), secondOfDay: Int(clamping: try number()))
    }
}
