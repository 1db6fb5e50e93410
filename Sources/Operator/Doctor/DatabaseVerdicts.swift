import Core
import Postgres
import Service
import TimeZones

enum DatabaseVerdicts {
    typealias Facts = DatabaseFacts

    private static let oldest: Int32 = 150_000

    static func connection(_ answer: Known<Facts.Server>, _ place: ConnectionConfiguration, trip: Int64) -> [Finding] {
        if case .failure(let unanswered) = answer, let error = unanswered.error {
            let status = CommandFailure.status(of: error)
            let shown = [.permission, .configuration].contains(status) ? status : .unavailable
            let fix = error.remedy ?? "see the server's log, then run doctor again"
            return [.error(error.withoutRemedy, shown).fix(fix)]
        }
        return answer.findings { server -> Finding in
            let hosts = place.hosts.map(\.name).joined(separator: ", ")
            let text = "PostgreSQL \(server.version) at \(hosts) accepts \(server.role)"
            guard server.versionNumber >= oldest else {
                return .warning("\(text), but is older than all versions that nudged is tested with")
                    .fix("upgrade PostgreSQL to \(oldest / 10_000) or later")
            }
            return .ok("\(text) and answers in \(max(1, trip / 1000)) ms")
        }
    }

    static func encryption(_ configuration: ConnectionConfiguration) -> Finding {
        let far = configuration.hosts.filter { !$0.isLocal }
        guard !far.isEmpty else { return .ok("the database is on this machine: there is no network between") }
        guard let open = far.first(where: { $0.sslMode != "verify-full" }) else {
            return .ok("sslmode verify-full: encrypted, with a verified certificate and name")
        }
        let risk =
            switch open.sslMode {
            case "require": "encrypted, but a machine in between can pose as the server"
            case "verify-ca": "encrypted, but any server with a certificate of that authority can pose as it"
            default: "it may be unencrypted: others can read password, tokens and texts on the way"
            }
        let fix = "add sslmode=verify-full (and sslrootcert=FILE for a private authority) to database.url"
        return .warning("sslmode \(open.sslMode) to \(open.name): \(risk)")
            .fix("\(fix), and remove database.allowInsecure")
    }

    static func pooler(_ pooling: Pooling) -> Finding {
        let sessions = "each daemon keeps four of its server connections, five with metrics"
        let share = "set pool_mode = transaction"
        return switch pooling {
        case .direct: .ok("none: the connection is direct")
        case .transaction: .ok("a pooler in transaction mode, the right one for nudged")
        case .session: .ok("a pooler in session mode: \(sessions); transaction mode would share them")
        case .statement:
            .warning("a pooler in statement mode: sweeps work, but it refuses migrate, explain and forecast")
                .fix("set pool_mode = transaction, or give these commands a DATABASE_URL without the pooler")
        case .exhausted:
            .warning("a pooler that gave no second server connection in time: a daemon uses four, five with metrics")
                .fix("give its pool more server connections (PgBouncer: default_pool_size), or \(share)")
        }
    }

    static func writability(_ server: Facts.Server, _ configuration: ConnectionConfiguration) -> Finding {
        if server.isInRecovery {
            let name = "name the primary in database.url, or all hosts with target_session_attrs=read-write"
            return .error("the server is a standby: it accepts no writes").fix("\(name); or promote the standby")
        }
        if !server.isWritable {
            return .error("transactions are read-only here (default_transaction_read_only)")
                .fix("end the read-only mode of role, database or server")
        }
        let hosts = configuration.hosts.count
        guard hosts > 1, configuration.takesAnyServer else { return .ok("it accepts writes") }
        let risk = "any of \(hosts) hosts may be used, and after a failover that may be a standby"
        return .warning("it accepts writes; but \(risk)").fix("add target_session_attrs=read-write to database.url")
    }

    /// nudged refuses a database of SQL_ASCII: texts would be cut and counted in bytes that no client can read.
    static func encoding(_ encoding: String) -> Finding {
        let recreating = "create database … encoding 'UTF8' template template0, and restore a dump into it"
        let name = "name that with set client_encoding at the beginning of the dump"
        let unknown = "the database's encoding is SQL_ASCII: PostgreSQL does not know which characters its texts hold"
        return switch encoding {
        case "SQL_ASCII": .error(unknown).fix("\(recreating). If its texts are in another encoding, \(name)")
        case "UTF8": .ok("UTF8")
        default: .warning("\(encoding): texts can't hold characters that it lacks, such as emoji").fix(recreating)
        }
    }

    /// In such a session no foreign key is checked either, on which the ownership of users rests.
    static func triggers(_ server: Facts.Server) -> [Finding] {
        Finding.error("session_replication_role is replica: triggers don't fire, and foreign keys are not checked")
            .fix("alter database … reset session_replication_role, or alter role … reset it; then restart the daemon")
            .when(!server.firesTriggers)
    }

    struct Bloat {
        let table: String
        let live: Int64
        let dead: Int64
        let isNeverCleaned: Bool
    }

    static func cleaning(_ server: Facts.Server, _ tables: [Bloat]) -> Finding {
        guard server.cleansUp else {
            return .warning("autovacuum (or track_counts, which it needs) is off: dead rows stay, and sweeps slow down")
                .fix("alter system set autovacuum = on; alter system set track_counts = on; select pg_reload_conf()")
        }
        let without = tables.filter(\.isNeverCleaned).map { "nudged.\($0.table)" }
        guard let first = without.first else { return .ok("on") }
        let names = without.joined(separator: ", ")
        return .warning("off for \(names)").fix("alter table \(first) reset (autovacuum_enabled)")
    }

    static func bloat(_ tables: [Bloat]) -> [Finding] {
        // Fewer dead rows have no effect that anyone notices.
        let worst = tables.filter { $0.dead >= 20_000 && $0.dead > $0.live }
        guard worst.isEmpty else {
            return worst.map { table -> Finding in
                let (dead, live) = (Elapsed.grouped(Int(table.dead)), Elapsed.grouped(Int(table.live)))
                return .warning("nudged.\(table.table) has \(dead) dead rows and \(live) live ones")
                    .fix("vacuum (analyze) nudged.\(table.table); if that removes none, see the line holders")
            }
        }
        let dead = tables.reduce(0) { $0 + $1.dead }
        let all = tables.reduce(dead) { $0 + $1.live }
        return [.ok("\(all == 0 ? 0 : 100 * dead / all) % of the rows in nudged's busiest tables are dead")]
    }

    /// Transactions of an app are shorter. A nightly dump takes longer and is worth a warning.
    private static let longSeconds: Int64 = 300

    /// What keeps dead rows from being cleaned up. First the session with the oldest snapshot or transaction.
    struct Holders {
        let processID: Int32?
        /// Nil: a process of the server itself.
        let role: String?
        /// How long its transaction has run. Nil: this role may not see that.
        let seconds: Int64?
        let age: Int64?
        let prepared: Int64
        let preparedSeconds: Int64?
        let idleSlots: [String]
    }

    static func holders(_ holders: Holders) -> [Finding] {
        var found: [Finding] = []
        let age = holders.age ?? 0
        // Our role may not see when a transaction began, but sees how many began since.
        if let process = holders.processID, holders.seconds.map({ $0 > longSeconds }) ?? (age > 200_000) {
            let span = holders.seconds.map(Elapsed.text) ?? "\(Elapsed.grouped(Int(age))) transactions"
            let which = "a transaction of \(holders.role ?? "the server itself") (process \(process))"
            let text = "\(which) has been open for \(span): newer dead rows can't be removed"
            let end = "let it end, or select pg_terminate_backend(\(process))"
            found.append(.warning(text).fix("\(end); idle_in_transaction_session_timeout ends forgotten ones"))
        }
        if holders.prepared > 0, let seconds = holders.preparedSeconds, seconds > longSeconds {
            let (one, many) = ("prepared transaction waits", "prepared transactions wait")
            let waiting = Elapsed.counted(Int(holders.prepared), one, many)
            let end = "end forgotten ones with commit prepared or rollback prepared (see pg_prepared_xacts)"
            found.append(.warning("\(waiting) for the second phase, the oldest for \(Elapsed.text(seconds))").fix(end))
        }
        found += holders.idleSlots.map { slot in
            .warning("the replication slot \(slot) has no reader: the server keeps dead rows and all WAL for it")
                .fix("start the reader again, or select pg_drop_replication_slot('\(slot)')")
        }
        return found.isEmpty ? [.ok("no long transaction, no prepared one, no idle replication slot")] : found
    }

    /// A daemon makes partitions a week ahead, once an hour.
    static func partitions(_ days: Int) -> Finding {
        let some = days == 1 ? "a partition for today" : "partitions for \(days) days, including today"
        if days >= 3 { return .ok("the record has \(some)") }
        let none = "the record has no partition for today: its rows are in the default partition"
        return .warning(days == 0 ? none : "the record has \(some), and no more")
            .fix("start a daemon, it makes them for a week ahead; if one runs, its journal says why it can't")
    }

    static let mostUnseen = 5_000

    static func unseen(_ count: Int, isAll: Bool) -> Finding {
        guard count > 0 else { return .ok("nudged has seen the users of the app's tables") }
        let some = isAll ? "" : " of the first \(Elapsed.grouped(mostUnseen))"
        let users = Elapsed.counted(count, "user", "users")
        return .warning("\(users)\(some) in the app's tables \(count == 1 ? "is" : "are") not seen yet by nudged")
            .fix("run nudged replan: it adds them")
    }

    static func texts(areLacking: Bool) -> Finding {
        guard areLacking else { return .ok("check-ins have texts, or nobody has turned them on") }
        return .warning("users have turned check-ins on, but no template is active: they get no check-in (no_text)")
            .fix("insert into nudged.template (title, body) values ('…', '…'), then run nudged replan")
    }

    static func activity(isLacking: Bool) -> Finding {
        guard isLacking else { return .ok("apps say whom they see (nudged.seen)") }
        let set = "policy.skipIfActiveMinutes or policy.backOffAfter is set, but no app has called seen"
        return .warning("\(set): with backOffAfter, every user's check-ins end")
            .fix("call nudged_me.seen or nudged_api.seen when a user is active in the app, or take the rule out")
    }

    static func work(_ work: WorkStatus) -> Finding {
        let late = work.firstDue.map { work.now - $0 } ?? 0
        let users = Elapsed.capped(work.dueUsers, WorkStatus.most)
        let who = work.dueUsers == 1 ? "1 user is due," : "\(users) users are due, the first"
        let due = work.dueUsers == 0 ? "no user is due" : "\(who) for \(Elapsed.text(late))"
        let number = work.touches == 0 ? "no" : Elapsed.capped(work.touches, WorkStatus.most)
        let changes = work.touches == 1 ? "1 change waits" : "\(number) changes wait"
        let text = "\(due); \(changes) for a sweep"
        let paused = work.pauses.filter { $0.resumedAt == nil }.map(\.kind.rawValue).sorted()
        guard paused.isEmpty else {
            return .warning("\(text); paused, so nothing of it is sent: \(paused.joined(separator: ", "))")
                .fix("nudged status says who paused it and why; nudged resume ends the pause")
        }
        // A sweep starts every second. If a daemon is alive and work waits for minutes, something delays it.
        guard work.daemons.contains(where: \.isAlive), late > longSeconds || work.touches >= WorkStatus.most else {
            return .ok(text)
        }
        return .warning("\(text), though a daemon is alive")
            .fix("nudged status shows its lanes, and journalctl -u nudged its sweeps")
    }
}
