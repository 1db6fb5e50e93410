#if !hasFeature(Embedded)
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// A device, attempt or answer in the user's record (docs/SQL.md, "Read what became of it").
    public struct HistoryEntry: Codable, Sendable, Hashable {
        let place: String
        /// When it was. Nil: it waits, or is being sent.
        public let at: Date?
        /// What it is about.
        public let kind: EntryKind
        /// Which one.
        public let id: NudgeID
        /// The first 16 digits of the SHA-256 of the device's token. Empty: no device.
        public let device: String
        /// What became of it.
        public let outcome: EntryOutcome
        /// Why, such as `no_device`: nudged's word or Apple's.
        public let reason: String?
        /// Apple's HTTP status.
        public let status: Int?

        private enum CodingKeys: String, CodingKey {
            case place, at, kind
            case id = "key"
            case device, outcome, reason, status
        }
    }

    /// A message or a reminder that waits for the user.
    public struct WaitingEntry: Codable, Sendable, Hashable {
        let place: String
        /// A message or a reminder.
        public let kind: EntryKind
        /// Which one. Several rows of a reminder have one id: a series, and its repeat that was snoozed.
        public let id: NudgeID
        /// The title. It may be empty.
        public let title: String
        /// The text. It may be empty.
        public let body: String
        /// Whether it passes quiet hours.
        public let isUrgent: Bool
        /// When a message was given to nudged.
        public let since: Date?
        /// When it is due. Nil: at once, or `dueLocal`.
        public let dueAt: Date?
        /// When it is due on the user's clock, such as `2026-11-24T09:00:00`.
        public let dueLocal: String?
        /// From when on it is dropped. Nil: never.
        public let expiresAt: Date?

        private enum CodingKeys: String, CodingKey {
            case place, kind, id, title, body
            case isUrgent = "urgent"
            case since
            case dueAt = "due_at"
            case dueLocal = "due_local"
            case expiresAt = "expires_at"
        }
    }

    /// A reminder that is pending for the user, or that they have set for everyone.
    public struct ReminderEntry: Codable, Sendable, Hashable {
        let place: String
        /// Which one. A series and its repeat that was snoozed have one id.
        public let id: NudgeID
        /// Who has set it.
        public let author: UserID
        let subjectType: String
        let subjectID: String
        /// The title. It may be empty.
        public let title: String
        /// The text. It may be empty.
        public let body: String
        /// When it is due. Nil: `dueLocal`.
        public let dueAt: Date?
        /// When it is due on the clock of `timezone`, such as `2026-11-24T09:00:00`.
        public let dueLocal: String?
        /// The zone of the recurrence and of `dueLocal`. Nil: the recipient's.
        public let timezone: String?
        /// How it repeats, such as `FREQ=WEEKLY;BYDAY=MO`. Nil: once.
        public let recurrence: String?
        /// Who is told: `me` or `everyone`.
        public let audience: String

        /// What it is about.
        public var subject: Subject? { Subject(type: subjectType, id: subjectID) }

        private enum CodingKeys: String, CodingKey {
            case place, id, author
            case subjectType = "subject_type"
            case subjectID = "subject_id"
            case title, body
            case dueAt = "due_at"
            case dueLocal = "due_local"
            case timezone, recurrence, audience
        }
    }

    /// A row that nudged holds of the user, in JSON: each source has its own shape.
    public struct ExportEntry: Encodable, Sendable, Equatable {
        let place: String
        /// Where it is, such as `device` or `message`.
        public let source: String
        /// What is there. It may contain tokens.
        public let content: EncodableJSON

        private enum CodingKeys: String, CodingKey {
            case source, content
        }
    }

    /// What would become of a message now (docs/SQL.md, "Preview a message").
    public struct MessagePreview: Codable, Sendable, Hashable {
        /// What would be done, such as `.send`.
        public let action: PreviewAction
        /// Why, such as `quiet_hours`.
        public let reason: String
        /// With `.wait`: when it would be evaluated again.
        public let nextAt: Date?
        /// Who decided: `policy`, `service` or `fallback`.
        public let by: String
        /// The reason of the service or of the fallback.
        public let explanation: String?
        /// `urgent`, `high`, `medium` or `low`. Nil: not now.
        public let priority: String?
        /// The title that the phone would show.
        public let title: String?
        /// The text that the phone would show.
        public let body: String?
        /// How many devices would get it.
        public let devices: Int
        /// Whether it would be sent with others as one push.
        public let isDigest: Bool

        private enum CodingKeys: String, CodingKey {
            case action, reason
            case nextAt = "next_at"
            case by, explanation, priority, title, body, devices
            case isDigest = "digest"
        }
    }

    /// What a nudge is. A later server may have others.
    public struct EntryKind: RawRepresentable, Codable, Sendable, Hashable {
        /// Its id is its day.
        public static let checkIn = EntryKind(rawValue: "check_in")
        /// A call of `send` made it.
        public static let message = EntryKind(rawValue: "message")
        /// A call of `set_reminder` made it.
        public static let reminder = EntryKind(rawValue: "reminder")
        /// The database's word.
        public let rawValue: String

        /// Any text is taken.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What became of a nudge. A later server may have others.
    public struct EntryOutcome: RawRepresentable, Codable, Sendable, Hashable {
        /// Its time is to come, or it can't be sent yet.
        public static let waiting = EntryOutcome(rawValue: "waiting")
        /// Its push is on its way.
        public static let sending = EntryOutcome(rawValue: "sending")
        /// Apple has it.
        public static let accepted = EntryOutcome(rawValue: "accepted")
        /// Apple refused it.
        public static let rejected = EntryOutcome(rawValue: "rejected")
        /// Apple asked to try again later.
        public static let deferred = EntryOutcome(rawValue: "deferred")
        /// It ended unsent.
        public static let dropped = EntryOutcome(rawValue: "dropped")
        /// A check-in that was not sent.
        public static let skipped = EntryOutcome(rawValue: "skipped")
        /// No answer came. It may have been shown.
        public static let unknown = EntryOutcome(rawValue: "unknown")
        /// The user opened it.
        public static let opened = EntryOutcome(rawValue: "opened")
        /// The user found it helpful.
        public static let helpful = EntryOutcome(rawValue: "helpful")
        /// The user did not find it helpful.
        public static let unhelpful = EntryOutcome(rawValue: "unhelpful")
        /// The database's word.
        public let rawValue: String

        /// Any text is taken.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What would be done with a message. A later server may have others.
    public struct PreviewAction: RawRepresentable, Codable, Sendable, Hashable {
        /// It would be sent now.
        public static let send = PreviewAction(rawValue: "send")
        /// It would be evaluated again, at `nextAt`.
        public static let wait = PreviewAction(rawValue: "wait")
        /// Only a change of the user's can let it be sent.
        public static let hold = PreviewAction(rawValue: "hold")
        /// It would end unsent.
        public static let drop = PreviewAction(rawValue: "drop")
        /// The database's word.
        public let rawValue: String

        /// Any text is taken.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Whether the decision service is in use, for the app's settings. A later server may have others.
    public struct ServiceStatus: RawRepresentable, Codable, Sendable, Hashable {
        /// It decides about the nudges of users who consent.
        public static let active = ServiceStatus(rawValue: "active")
        /// It does not answer, so users' fallback strategies decide.
        public static let resting = ServiceStatus(rawValue: "resting")
        /// None is configured, or no daemon runs.
        public static let off = ServiceStatus(rawValue: "off")
        /// The database's word.
        public let rawValue: String

        /// Any text is taken.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
#endif
