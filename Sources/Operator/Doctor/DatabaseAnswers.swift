import Service
import Postgres
import Core
import Systemd
import TimeZones

/// The answers to all questions to the database.
struct DatabaseAnswers: Sendable {
    /// Nil: the configuration can't be used.
    var connection: ConnectionConfiguration?
    /// The first question: whether we can connect, and the server's facts.
    var server: Known<DatabaseFacts.Server>
    /// This machine's clock when the server's clock was read, in microseconds since 1970; and the round trip in
    /// microseconds.
    var askedAt: Int64 = 0
    var trip: Int64 = 0
    var pooling: Known<Pooling>
    var schemaState: Known<Migrator.SchemaState>
    var rights: Known<[DatabaseFacts.Right]>
    var excessRights: Known<[ExcessRight]>
    var written: Known<[DatabaseFacts.Written]>
    var bindingFaults: Known<[BindingFault]>
    var columns: Known<[DatabaseFacts.Column]>
    /// The errors of reading the views. A view without an error could be read.
    var views: Known<[DatabaseFacts.View: PostgresError]>
    var appTables: Known<[DatabaseFacts.AppTable]>
    var openTables: Known<[String]>
    var partitionDays: Known<Int>
    var bloat: Known<[DatabaseFacts.Bloat]>
    var holders: Known<DatabaseFacts.Holders>
    var unseen: Known<DatabaseFacts.Unseen>
    var work: Known<WorkStatus>
    var zoneOffsets: Known<[String: Int]>
    var usedZones: Known<DatabaseFacts.UsedZones>

    /// No question was asked.
    init(unasked why: String) {
        server = .unasked(why)
        pooling = .unasked(why)
        schemaState = .unasked(why)
        rights = .unasked(why)
        excessRights = .unasked(why)
        written = .unasked(why)
        bindingFaults = .unasked(why)
        columns = .unasked(why)
        views = .unasked(why)
        appTables = .unasked(why)
        openTables = .unasked(why)
        partitionDays = .unasked(why)
        bloat = .unasked(why)
        holders = .unasked(why)
        unseen = .unasked(why)
        work = .unasked(why)
        zoneOffsets = .unasked(why)
        usedZones = .unasked(why)
    }
}

extension DatabaseAnswers {
    /// In the order of the report. If an answer is missing on which others depend, one line stands for all of them.
    var findings: [Finding] {
        let rest = Finding.Place(.database, "rest")
        guard let server = server.value else {
            return [reached, encrypted, rest.unchecked("the other checks need a database that answers")]
        }
        let way = [reached, encrypted, pooled, writable, sameClock] + encoded(server) + firing(server)
        guard server.hasSchema, server.mayUseSchema else {
            let why = "the checks of rights, bindings, views, tables, partitions and work need schema nudged"
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
                error.saying(remedy: false),
                remedy: error.remedy ?? "see the server's log, then run doctor again",
                [.permission, .configuration].contains(status) ? status : .unavailable
            )
        case .value(let server):
            let hosts = connection?.hosts.map(\.name).joined(separator: ", ") ?? "?"
            let text = "PostgreSQL \(server.version) at \(hosts) accepts \(server.role)"
            guard server.versionNumber >= Self.oldest else {
                return place.warning(
                    "\(text), but is older than all versions that nudged is tested with",
                    remedy: "upgrade PostgreSQL to \(Self.oldest / 10_000) or later"
                )
            }
            return place.ok("\(text) and answers in \(max(1, trip / 1000)) ms")
        }
    }

    /// The oldest version that the tests use.
    private static let oldest: Int32 = 150_000

    /// Why nudged refuses a database of SQL_ASCII: texts would be cut and counted in bytes that no client can read.
    static let withoutEncoding = (
        found: "the database's encoding is SQL_ASCII: PostgreSQL does not know which characters its texts hold",
        remedy: "create database … encoding 'UTF8' template template0, and restore a dump into it. If its texts are in "
            + "another encoding, name that with set client_encoding at the beginning of the dump"
    )

    private func encoded(_ server: DatabaseFacts.Server) -> [Finding] {
        let place = Finding.Place(.database, "encoding")
        guard server.encoding != "SQL_ASCII" else {
            return [place.error(Self.withoutEncoding.found, remedy: Self.withoutEncoding.remedy, .configuration)]
        }
        guard server.encoding != "UTF8" else { return [place.ok("UTF8")] }
        return [
            place.warning(
                "\(server.encoding): texts can't hold characters that it lacks, such as emoji",
                remedy: "create database … encoding 'UTF8' template template0, and restore a dump into it"
            )
        ]
    }

    /// In such a session no foreign key is checked either, on which the ownership of users rests.
    private func firing(_ server: DatabaseFacts.Server) -> [Finding] {
        guard !server.firesTriggers else { return [] }
        return [
            Finding.Place(.database, "replication_role").error(
                "session_replication_role is replica: triggers don't fire, and foreign keys are not checked",
                remedy: "alter database … reset session_replication_role, or alter role … reset it; "
                    + "then restart the daemon",
                .configuration
            )
        ]
    }

    private var encrypted: Finding {
        let place = Finding.Place(.database, "tls")
        guard let connection else { return place.unchecked("the configuration has no valid database.url") }
        let far = connection.hosts.filter { !$0.isLocal }
        guard !far.isEmpty else { return place.ok("the database is on this machine: there is no network between") }
        guard let open = far.first(where: { $0.sslMode != "verify-full" }) else {
            return place.ok("sslmode verify-full: encrypted, with a verified certificate and name")
        }
        let risk =
            switch open.sslMode {
            case "require": "encrypted, but a machine in between can pose as the server"
            case "verify-ca": "encrypted, but any server with a certificate of that authority can pose as it"
            default: "it may be unencrypted: others can read password, tokens and texts on the way"
            }
        return place.warning(
            "sslmode \(open.sslMode) to \(open.name): \(risk)",
            remedy:
                "add sslmode=verify-full (and sslrootcert=FILE for a private authority) to database.url, and remove "
                + "database.allowInsecure"
        )
    }

    private var pooled: Finding {
        let place = Finding.Place(.database, "pooler")
        return pooling.finding(place) { pooling in
            switch pooling {
            case .direct: place.ok("none: the connection is direct")
            case .transaction: place.ok("a pooler in transaction mode, the right one for nudged")
            case .session:
                place.ok(
                    "a pooler in session mode: each daemon keeps four of its server connections, five with metrics; "
                        + "transaction mode would share them"
                )
            case .statement:
                place.warning(
                    "a pooler in statement mode: sweeps work, but it refuses migrate, explain and forecast",
                    remedy: "set pool_mode = transaction, or give these commands a DATABASE_URL without the pooler"
                )
            case .exhausted:
                place.warning(
                    "a pooler that gave no second server connection in time: a daemon uses four, five with metrics",
                    remedy: "give its pool more server connections (PgBouncer: default_pool_size), "
                        + "or set pool_mode = transaction"
                )
            }
        }
    }

    private var writable: Finding {
        let place = Finding.Place(.database, "writable")
        return server.finding(place) { server in
            if server.isInRecovery {
                return place.error(
                    "the server is a standby: it accepts no writes",
                    remedy: "name the primary in database.url, or all hosts with target_session_attrs=read-write; "
                        + "or promote the standby",
                    .configuration
                )
            }
            if !server.isWritable {
                return place.error(
                    "transactions are read-only here (default_transaction_read_only)",
                    remedy: "end the read-only mode of role, database or server",
                    .configuration
                )
            }
            let hosts = connection?.hosts.count ?? 1
            guard hosts > 1, connection?.takesAnyServer == true else { return place.ok("it accepts writes") }
            return place.warning(
                "it accepts writes; but any of \(hosts) hosts may be used, and after a failover that may be a standby",
                remedy: "add target_session_attrs=read-write to database.url"
            )
        }
    }

    /// The database's clock decides when a nudge is due. This machine's clock is in the provider tokens for Apple.
    private var sameClock: Finding {
        let place = Finding.Place(.database, "clock")
        return server.finding(place) { server in
            ClockSkew(ahead: server.clock - askedAt, margin: trip / 2).finding(place, whose: "the database's")
        }
    }
}

extension PostgresError {
    /// The description, without the remedy if `isWanted` is false: a finding has a field for that.
    func saying(remedy isWanted: Bool) -> String {
        guard !isWanted, let remedy else { return description }
        return description.hasSuffix("; \(remedy)") ? String(description.dropLast(remedy.count + 2)) : description
    }
}
