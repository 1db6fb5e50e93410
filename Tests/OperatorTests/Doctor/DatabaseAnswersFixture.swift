import Systemd
import TimeZones

@testable import Operator
@testable import Postgres
@testable import Core

/// A database in which all is well, as answers, and changes of it.
enum DatabaseAnswersFixture {
    typealias Facts = DatabaseFacts

    static let server = Facts.Server(
        versionNumber: 150_020,
        version: "15.20",
        isInRecovery: false,
        isWritable: true,
        clock: 1_000_000_000,
        role: "nudged_daemon",
        isSuperuser: false,
        bypassesRowSecurity: false,
        ownsTables: false,
        hasSchema: true,
        mayUseSchema: true,
        cleansUp: true,
        isDistributed: false,
        encoding: "UTF8",
        firesTriggers: true,
        creators: []
    )

    static let columns: [Facts.Column] = [
        ("recipient", "user_id", "uuid"), ("recipient", "preferences", "jsonb"), ("recipient", "timezone", "text"),
        ("recipient", "first_session_complete", "boolean"), ("recipient", "context", "jsonb"),
        ("device", "user_id", "uuid"),
        ("device", "token", "text"), ("device", "registered_at", "timestamp with time zone"),
        ("device", "environment", "text"),
        ("device", "topic", "text"), ("subject_member", "subject_type", "text"),
        ("subject_member", "subject_id", "text"),
        ("subject_member", "user_id", "uuid"),
    ].map { Facts.Column(view: $0, name: $1, type: $2) }

    static func work(due: Int = 0, late: Int64 = 0, touches: Int = 0, alive: Bool = true, pauses: [Pause] = [])
        -> WorkStatus
    {
        let now = Instant(seconds: 1_000_000)
        let row = DaemonRow(
            id: .init(),
            host: "web-1",
            pid: 1,
            version: "1",
            startedAt: now,
            seenAt: now,
            unseenMilliseconds: alive ? 0 : 100_000,
            state: "{}"
        )
        return WorkStatus(
            now: now,
            dueUsers: due,
            firstDue: due > 0 ? now - late : nil,
            touches: touches,
            openIntents: 0,
            openPushes: 0,
            unknownPushes: 0,
            pauses: pauses,
            daemons: [row]
        )
    }

    static func table(_ name: String) -> Facts.AppTable {
        Facts.AppTable(
            name: name,
            exists: true,
            hasRowSecurity: true,
            hasUserIndex: true,
            readers: ["authenticated"],
            isRead: true
        )
    }

    static let written = Facts.Written(
        name: "public.push_tokens",
        hasWriter: true,
        owned: 4,
        foreign: [],
        owners: [],
        lacking: [],
        isHidden: false
    )

    /// A database in which all is well.
    static func answers(
        _ url: String = "postgresql://nudged_daemon@db.example.com/app?sslmode=verify-full",
        _ change: (inout DatabaseAnswers) -> Void = { _ in }
    ) throws -> DatabaseAnswers {
        var answers = DatabaseAnswers(unasked: "never")
        answers.connection = try ConnectionConfiguration.parse(url: url, allowInsecure: true)
        answers.server = .value(server)
        answers.askedAt = 1_000_000_000
        answers.trip = 2_000
        answers.pooling = .value(.direct)
        answers.schemaState = .value(.current)
        answers.rights = .value(DaemonRight.all.map { Facts.Right(right: $0, exists: true, isGranted: true) })
        answers.excessRights = .value([])
        answers.written = .value([written])
        answers.bindingFaults = .value([])
        answers.columns = .value(columns)
        answers.views = .value([:])
        answers.appTables = .value([table("context_profiles"), table("push_tokens")])
        answers.openTables = .value([])
        answers.partitionDays = .value(8)
        answers.bloat = .value([Facts.Bloat(table: "person", live: 1000, dead: 10, isNeverCleaned: false)])
        answers.holders = .value(Facts.Holders(prepared: 0, idleSlots: []))
        answers.unseen = .value(Facts.Unseen(users: 0, isAll: true))
        answers.work = .value(work())
        change(&answers)
        return answers
    }

    static func finding(_ check: String, _ answers: DatabaseAnswers) -> Finding? {
        answers.findings.first { $0.check == check && $0.level != .ok } ?? answers.findings.first { $0.check == check }
    }

    /// What is not fine, with a change of what is.
    static func odd(_ change: (inout DatabaseAnswers) -> Void) throws -> [Finding] {
        try answers(_: "postgresql://nudged_daemon@db.example.com/app?sslmode=verify-full", change).findings.filter {
            $0.level != .ok
        }
    }
}
