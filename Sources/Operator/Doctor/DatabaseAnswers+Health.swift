import Service
import Postgres
import Core
import Systemd
import TimeZones

extension DatabaseAnswers {
    /// Partitions, dead rows, the sessions that keep them, and the waiting work.
    var healthFindings: [Finding] { [prepared, cleaning] + bloated + holding + [adopted, waiting] }

    /// Rows that were there before nudged's triggers were.
    private var adopted: Finding {
        let place = Finding.Place(.database, "users")
        return unseen.finding(place) { unseen in
            guard unseen.users > 0 else { return place.ok("nudged has seen the users of the app's tables") }
            let some = unseen.isAll ? "" : " of the first \(Elapsed.grouped(DatabaseFacts.Unseen.most))"
            let users = Elapsed.counted(unseen.users, "user", "users")
            return place.warning(
                "\(users)\(some) in the app's tables \(unseen.users == 1 ? "is" : "are") not seen yet by nudged",
                remedy: "run nudged replan: it adds them"
            )
        }
    }

    /// A daemon makes partitions a week ahead, once an hour.
    private var prepared: Finding {
        let place = Finding.Place(.database, "partitions")
        return partitionDays.finding(place) { days in
            let text =
                days == 1
                ? "the record has a partition for today"
                : "the record has partitions for \(days) days, including today"
            guard days < 3 else { return place.ok(text) }
            return place.warning(
                days == 0
                    ? "the record has no partition for today: its rows are in the default partition"
                    : "\(text), and no more",
                remedy: "start a daemon, it makes them for a week ahead; if one runs, its journal says why it can't"
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
                    remedy:
                        "alter system set autovacuum = on; alter system set track_counts = on; select pg_reload_conf()"
                )
            }
            let without = (bloat.value ?? []).filter(\.isNeverCleaned).map { "nudged.\($0.table)" }
            guard let first = without.first else { return place.ok("on") }
            return place.warning(
                "off for \(without.joined(separator: ", "))",
                remedy: "alter table \(first) reset (autovacuum_enabled)"
            )
        }
    }

    /// Fewer dead rows than this have no effect that anyone notices.
    private static let fewDead: Int64 = 20_000

    private var bloated: [Finding] {
        let place = Finding.Place(.database, "bloat")
        return bloat.findings(place) { tables in
            let worst = tables.filter { $0.dead >= Self.fewDead && $0.dead > $0.live }
            guard worst.isEmpty else {
                return worst.map { table in
                    place.warning(
                        "nudged.\(table.table) has \(Elapsed.grouped(Int(table.dead))) dead rows "
                            + "and \(Elapsed.grouped(Int(table.live))) live ones",
                        remedy: "vacuum (analyze) nudged.\(table.table); if that removes none, see the line holders"
                    )
                }
            }
            let dead = tables.reduce(0) { $0 + $1.dead }
            let live = tables.reduce(0) { $0 + $1.live }
            let share = dead + live == 0 ? 0 : Int(100 * dead / (dead + live))
            return [place.ok("\(share) % of the rows in nudged's busiest tables are dead")]
        }
    }

    /// Transactions of an app are shorter. A nightly dump takes longer and is worth a warning.
    private static let longSeconds: Int64 = 300
    /// Used if our role may not see a transaction's start: the number of transactions since then.
    private static let longAge: Int64 = 200_000

    var holding: [Finding] {
        let place = Finding.Place(.database, "holders")
        return holders.findings(place) { holders in
            var found: [Finding] = []
            if let session = holders.session,
                session.seconds.map({ $0 > Self.longSeconds }) ?? (session.age > Self.longAge)
            {
                let span =
                    session.seconds.map { "for \(Elapsed.text($0))" }
                    ?? "for \(Elapsed.grouped(Int(session.age))) transactions"
                found.append(
                    place.warning(
                        "a transaction of \(session.role ?? "the server itself") (process \(session.processID)) "
                            + "has been open \(span): newer dead rows can't be removed",
                        remedy: "let it end, or select pg_terminate_backend(\(session.processID)); "
                            + "idle_in_transaction_session_timeout ends forgotten ones"
                    )
                )
            }
            if holders.prepared > 0, (holders.preparedSeconds ?? 0) > Self.longSeconds {
                let waiting = Elapsed.counted(
                    Int(holders.prepared),
                    "prepared transaction waits",
                    "prepared transactions wait"
                )
                found.append(
                    place.warning(
                        "\(waiting) for the second phase, the oldest for "
                            + Elapsed.text(holders.preparedSeconds ?? 0),
                        remedy: "end forgotten ones with commit prepared or rollback prepared (see pg_prepared_xacts)"
                    )
                )
            }
            found += holders.idleSlots.map { slot in
                place.warning(
                    "the replication slot \(slot) has no reader: the server keeps dead rows and all WAL for it",
                    remedy: "start the reader again, or select pg_drop_replication_slot('\(slot)')"
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
            let touches = Elapsed.capped(work.touches, WorkStatus.most)
            let late = work.firstDue.map { work.now - $0 } ?? 0
            let users = Elapsed.capped(work.dueUsers, WorkStatus.most)
            let due =
                switch work.dueUsers {
                case 0: "no user is due"
                case 1: "1 user is due, for \(Elapsed.text(late))"
                default: "\(users) users are due, the first for \(Elapsed.text(late))"
                }
            let changes = work.touches == 1 ? "1 change waits" : "\(touches == "0" ? "no" : touches) changes wait"
            let text = "\(due); \(changes) for a sweep"
            let paused = work.pauses.filter { $0.resumedAt == nil }.map(\.kind.rawValue).sorted()
            guard paused.isEmpty else {
                return place.warning(
                    "\(text); paused, so nothing of it is sent: \(paused.joined(separator: ", "))",
                    remedy: "nudged status says who paused it and why; nudged resume ends the pause"
                )
            }
            // A sweep starts every second. If a daemon is alive and work waits for minutes, something delays it.
            guard !page.alive.isEmpty, late > Self.longSeconds || work.touches >= WorkStatus.most else {
                return place.ok(text)
            }
            return place.warning(
                "\(text), though a daemon is alive",
                remedy: "nudged status shows its lanes, and journalctl -u nudged its sweeps"
            )
        }
    }
}
