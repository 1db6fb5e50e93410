#if !hasFeature(Embedded)
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// A reminder that the signed-in user sets for themselves (docs/SQL.md, "Set a reminder").
    public struct OwnReminder: Sendable, Equatable {
        /// What it is about. A user has one reminder of their own per subject.
        public var subject: Subject
        /// The title. One of title and body may be empty.
        public var title: String
        /// The text.
        public var body: String
        /// The instant. Nil: `dueLocal` is given.
        public var dueAt: Date?
        /// The time on the user's clock, wherever they are then, such as `2026-11-24T09:00:00`. Nil: `dueAt` is given.
        public var dueLocal: String?
        /// How it repeats, such as `FREQ=WEEKLY;BYDAY=MO`. Nil: once.
        public var recurrence: String?
        /// The zone of `dueLocal` and of the recurrence. Nil: the user's.
        public var timezone: String?
        /// How the phone shows it: an object (docs/SQL.md). Nil: as usual.
        public var apns: EncodableJSON?

        /// Give one of `dueAt` and `dueLocal`.
        public init(
            subject: Subject,
            title: String,
            body: String = "",
            dueAt: Date? = nil,
            dueLocal: String? = nil,
            recurrence: String? = nil,
            timezone: String? = nil,
            apns: EncodableJSON? = nil
        ) {
            self.subject = subject
            self.title = title
            self.body = body
            self.dueAt = dueAt
            self.dueLocal = dueLocal
            self.recurrence = recurrence
            self.timezone = timezone
            self.apns = apns
        }
    }
#endif
