import Service
import Postgres
import Store
import Systemd
import TimeZones

extension DatabaseAnswers {
    /// Partitions, dead rows and who keeps them, and how the work stands.
    var healthFindings: [Finding] { [prepared, cleaning] + bloated + holding + [waiting] }

    /// A daemon keeps `Store.daysAhead` ready, and looks every hour.
    private var prepared: Finding {
        let place = Finding.Place(.database, "partitions")
        return partitionDays.finding(place) { days in
            let words =
                days == 1
                ? "the record has a partition for today"
                : "the record has partitions for \(days) days, today's included"
            guard days < 3 else { return place.ok(words) }
            return place.warning(
                days == 0
                    ? "the record has no partition for today: its rows lie in the default partition"
                    : "\(words), and no further",
                mend:
                    "run a daemon, which makes them for a week ahead; where one runs, its journal says what is in the way"
            )
        }
    }

    // MARK: Dead rows

    var cleaning: Finding {
        let place = Finding.Place(.database, "autovacuum")
        return server.finding(place) { server in
            guard server.cleansUp else {
                return place.warning(
                    "autovacuum (or track_counts, which it needs) is off: dead rows stay, and sweeps slow down",
                    mend:
                        "alter system set autovacuum = on; alter system set track_counts = on; select pg_reload_conf()"
                )
            }
            let without = (bloat.value ?? []).filter(\.isNeverCleaned).map { "nudged.\($0.table)" }
            guard let first = without.first else { return place.ok("on") }
            return place.warning(
                "off for \(without.joined(separator: ", "))",
                mend: "alter table \(first) reset (autovacuum_enabled)"
            )
        }
    }

    /// Below so many nobody notices.
    private static let fewDead: Int64 = 20_000

    private var bloated: [Finding] {
        let place = Finding.Place(.database, "bloat")
        return bloat.findings(place) { tables in
            let worst = tables.filter { $0.dead >= Self.fewDead && $0.dead > $0.live }
            guard worst.isEmpty else {
                return worst.map { table in
                    place.warning(
                        "nudged.\(table.table) has \(Elapsed.grouped(Int(table.dead))) dead rows beside \(Elapsed.grouped(Int(table.live))) living ones",
                        mend:
                            "vacuum (analyze) nudged.\(table.table); where that frees nothing, somebody holds them: see holders"
                    )
                }
            }
            let dead = tables.reduce(0) { $0 + $1.dead }
            let live = tables.reduce(0) { $0 + $1.live }
            let share = dead + live == 0 ? 0 : Int(100 * dead / (dead + live))
            return [place.ok("\(share) % of the rows of the hot tables are dead")]
        }
    }

    /// A transaction of an app's is over in less; a nightly dump takes longer, and is worth a line.
    private static let longSeconds: Int64 = 300
    /// Where our role may not see for how long: so many transactions began since.
    private static let longAge: Int64 = 200_000

    var holding: [Finding] {
        let place = Finding.Place(.database, "holders")
        return holders.findings(place) { holders in
            var found: [Finding] = []
            if let session = holders.session,
                session.seconds.map({ $0 > Self.longSeconds }) ?? (session.age > Self.longAge)
            {
                let span =
                    session.seconds.map { "for \(Elapsed.words($0))" }
                    ?? "for \(Elapsed.grouped(Int(session.age))) transactions"
                found.append(
                    place.warning(
                        "a transaction of \(session.role ?? "the server's own") (process \(session.processID)) is open \(span): "
                            + "no dead row that is younger can go",
                        mend:
                            "let it end, or select pg_terminate_backend(\(session.processID)); idle_in_transaction_session_timeout ends forgotten ones"
                    )
                )
            }
            if holders.prepared > 0, (holders.preparedSeconds ?? 0) > Self.longSeconds {
                found.append(
                    place.warning(
                        "\(holders.prepared) prepared transactions wait for their second phase, the oldest for \(Elapsed.words(holders.preparedSeconds ?? 0))",
                        mend: "see pg_prepared_xacts; commit prepared or rollback prepared what nobody will end"
                    )
                )
            }
            found += holders.idleSlots.map { slot in
                place.warning(
                    "nobody reads from the replication slot \(slot): it keeps dead rows and the log of all writes",
                    mend: "start its reader again, or select pg_drop_replication_slot('\(slot)')"
                )
            }
            return found.isEmpty ? [place.ok("no long transaction, no prepared one, no idle replication slot")] : found
        }
    }

    // MARK: Work

    private var waiting: Finding {
        let place = Finding.Place(.database, "work")
        return work.finding(place) { work in
            let page = StatusPage(work)
            let touches = Elapsed.capped(work.touches, WorkStanding.most)
            let late = work.firstDue.map { work.now - $0 } ?? 0
            let due =
                work.dueUsers == 0
                ? "nobody is due"
                : "\(Elapsed.capped(work.dueUsers, WorkStanding.most)) users are due, the first for \(Elapsed.words(late))"
            let words = "\(due); \(touches == "0" ? "no" : touches) changes wait for a sweep"
            let paused = work.pauses.filter { $0.resumedAt == nil }.map(\.kind.rawValue).sorted()
            guard paused.isEmpty else {
                return place.warning(
                    "\(words); paused, so nothing of it is sent: \(paused.joined(separator: ", "))",
                    mend: "nudged status says who, when and why; nudged resume lets them go on"
                )
            }
            // A sweep comes every second: whoever waits for minutes beside a living daemon is kept waiting by something.
            guard !page.alive.isEmpty, late > Self.longSeconds || work.touches >= WorkStanding.most else {
                return place.ok(words)
            }
            return place.warning(
                "\(words), though a daemon is alive",
                mend: "nudged status says how its lanes stand, and journalctl -u nudged what its sweeps do"
            )
        }
    }
}
