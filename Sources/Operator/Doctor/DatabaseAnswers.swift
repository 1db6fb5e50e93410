import Service
import Postgres
import Store
import Systemd
import TimeZones

/// All that was asked of the database.
struct DatabaseAnswers: Sendable {
    /// nil: the configuration can't be used.
    var connection: ConnectionConfiguration?
    /// The first of all: whether it lets us in, and who it is.
    var server: Known<DatabaseFacts.Server>
    /// Microseconds since 1970 of this machine, when the server's clock was read, and what that reading took.
    var askedAt: Int64 = 0
    var trip: Int64 = 0
    var pooling: Known<Pooling>
    var standing: Known<Migrator.Standing>
    var rights: Known<[DatabaseFacts.Right]>
    var triggers: Known<[DatabaseFacts.Trigger]>
    var columns: Known<[DatabaseFacts.Column]>
    /// What reading each view came to; nil: it went well.
    var views: Known<[DatabaseFacts.View: PostgresError]>
    var appTables: Known<[DatabaseFacts.AppTable]>
    var openTables: Known<[String]>
    var partitionDays: Known<Int>
    var bloat: Known<[DatabaseFacts.Bloat]>
    var holders: Known<DatabaseFacts.Holders>
    var work: Known<WorkStanding>
    var zoneOffsets: Known<[String: Int]>

    /// Nothing was asked.
    init(unasked why: String) {
        server = .unasked(why)
        pooling = .unasked(why)
        standing = .unasked(why)
        rights = .unasked(why)
        triggers = .unasked(why)
        columns = .unasked(why)
        views = .unasked(why)
        appTables = .unasked(why)
        openTables = .unasked(why)
        partitionDays = .unasked(why)
        bloat = .unasked(why)
        holders = .unasked(why)
        work = .unasked(why)
        zoneOffsets = .unasked(why)
    }
}

extension DatabaseAnswers {
    /// In the order of the report. What depends on something that is missing is one line for all of it.
    var findings: [Finding] {
        let rest = Finding.Place(.database, "rest")
        guard let server = server.value else {
            return [reached, encrypted, rest.unchecked("all else is asked of a database that answers")]
        }
        let way = [reached, encrypted, pooled, writable, sameClock]
        guard server.hasSchema, server.mayUseSchema else {
            let why = "rights, triggers, views, tables, partitions and work are looked at where schema nudged can be"
            return way + (server.hasSchema ? [role, shut(server)] : [migrated, role]) + [cleaning] + holding + [
                rest.unchecked(why)
            ]
        }
        return way + schemaFindings + healthFindings
    }

    // MARK: The connection

    private var reached: Finding {
        let place = Finding.Place(.database, "connection")
        switch server {
        case .unasked(let why): return place.unchecked(why)
        case .failed(let error):
            let status = OneRun.status(of: error)
            return place.error(
                error.saying(mend: false),
                mend: error.mend ?? "see the server's log, and run it again",
                [.permission, .configuration].contains(status) ? status : .unavailable
            )
        case .value(let server):
            let words =
                "PostgreSQL \(server.version) at \(connection?.hosts.map(\.name).joined(separator: ", ") ?? "?") lets \(server.role) in"
            guard server.versionNumber >= Self.oldest else {
                return place.warning(
                    "\(words): older than what nudged is tried with",
                    mend: "upgrade PostgreSQL to \(Self.oldest / 10_000) or later"
                )
            }
            return place.ok("\(words), answering in \(max(1, trip / 1000)) ms")
        }
    }

    /// The oldest version of which a test of ours says anything.
    private static let oldest: Int32 = 150_000

    private var encrypted: Finding {
        let place = Finding.Place(.database, "tls")
        guard let connection else { return place.unchecked("the configuration names no database that can be used") }
        let far = connection.hosts.filter { !$0.isLocal }
        guard !far.isEmpty else { return place.ok("the database is on this machine: nothing goes over a network") }
        guard let open = far.first(where: { $0.sslMode != "verify-full" }) else {
            return place.ok("sslmode verify-full: encrypted, and certificate and name are verified")
        }
        let risk =
            switch open.sslMode {
            case "require": "encrypted, but whoever stands between can pose as the server"
            case "verify-ca": "encrypted, but any server of that authority's may pose as it"
            default: "it may go unencrypted: password, tokens and texts can be read on the way"
            }
        return place.warning(
            "sslmode \(open.sslMode) to \(open.name): \(risk)",
            mend: "add sslmode=verify-full (and sslrootcert=FILE for a private authority) to database.url, and take "
                + "database.allowInsecure out"
        )
    }

    private var pooled: Finding {
        let place = Finding.Place(.database, "pooler")
        return pooling.finding(place) { pooling in
            switch pooling {
            case .direct: place.ok("none: the server itself answers")
            case .transaction: place.ok("a pooler in transaction mode, which is what nudged is made for")
            case .session:
                place.ok(
                    "a pooler in session mode: each daemon keeps three of its server connections; transaction mode would share them"
                )
            case .statement:
                place.warning(
                    "a pooler in statement mode: sweeps pass, but migrate, explain and forecast are refused",
                    mend: "set pool_mode = transaction, or give these commands a DATABASE_URL past the pooler"
                )
            case .exhausted:
                place.warning(
                    "a pooler that gave no second server connection in time: a daemon works on three at once",
                    mend:
                        "give its pool more server connections (PgBouncer: default_pool_size), or set pool_mode = transaction"
                )
            }
        }
    }

    private var writable: Finding {
        let place = Finding.Place(.database, "writable")
        return server.finding(place) { server in
            if server.isInRecovery {
                return place.error(
                    "the server is a standby: it only reads",
                    mend:
                        "name the primary in database.url, or all hosts with target_session_attrs=read-write; or promote it",
                    .configuration
                )
            }
            if !server.isWritable {
                return place.error(
                    "transactions are read-only here (default_transaction_read_only)",
                    mend: "end the read-only mode of role, database or server",
                    .configuration
                )
            }
            let hosts = connection?.hosts.count ?? 1
            guard hosts > 1, connection?.takesAnyServer == true else { return place.ok("it takes writes") }
            return place.warning(
                "it takes writes; but of \(hosts) hosts any is good enough, so after a failover a standby may be",
                mend: "add target_session_attrs=read-write to database.url"
            )
        }
    }

    /// The database's clock decides when a nudge is due; this machine's is in Apple's provider tokens.
    private var sameClock: Finding {
        let place = Finding.Place(.database, "clock")
        return server.finding(place) { server in
            ClockSkew(ahead: server.clock - askedAt, margin: trip / 2).finding(place, whose: "the database's")
        }
    }
}

extension PostgresError {
    /// The description, the mend left out: a finding has a place for it.
    func saying(mend isWanted: Bool) -> String {
        guard !isWanted, let mend else { return description }
        return description.hasSuffix("; \(mend)") ? String(description.dropLast(mend.count + 2)) : description
    }
}
