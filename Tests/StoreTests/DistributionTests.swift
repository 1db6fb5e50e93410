import Base
import Foundation
import TestSupport
import Testing

@testable import Core

/// What a database on several machines asks of the tables, held on one.
@Suite(.ownThreads) struct DistributionTests {
    /// Tables that hold no rows about users: slices of pushes (they name users in lists, and live for seconds), who owns which range, daemons, migrations,
    /// who may what, what is paused, limits, locks.
    private static let others: Set<String> = [
        "intent", "member", "lease", "range", "daemon", "migration", "role_right", "paused", "template", "setting",
        "own_table", "lock", "bound",
    ]

    /// Every table of schema nudged has rows about users, or is in the list above. So a new table must be considered.
    @Test func keys_whenATableHoldsRowsAboutUsers_holdUserID() async throws {
        let fixture = try await F()
        let tables = try fixture.lines(
            """
            select c.relname from pg_class c
            where c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
            """
        )
        #expect(Set(tables).isSuperset(of: ["person", "touched", "delivery"]))
        let keys = try fixture.lines(
            """
            select c.relname, i.indexrelid::regclass, bool_or(a.attname = 'user_id')
            from pg_class c
            join pg_index i on i.indrelid = c.oid and (i.indisprimary or i.indisunique or i.indisexclusion)
            left join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
            where c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p')
            group by 1, 2
            """
        ).map { $0.split(separator: "|").map(String.init) }
        // The record has no key: a settlement is of one turn.
        for table in tables where !Self.others.contains(table) && table != "delivery" {
            #expect(keys.contains { $0[0] == table }, "\(table) has no key")
        }
        for key in keys where !Self.others.contains(key[0]) {
            #expect(key[2] == "t", "\(key[1]) of \(key[0]) does not hold user_id")
        }
        // And no foreign key crosses users: those to memberships are of tables on the coordinator.
        let foreign = try fixture.lines(
            """
            select c.conname from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class r on r.oid = c.confrelid
            where c.contype = 'f' and t.relnamespace = 'nudged'::regnamespace
              and not (t.relname in ('range', 'lease', 'intent') and r.relname = 'member')
            """
        )
        #expect(foreign.isEmpty)
    }

    /// The ranges that a claim asks for are all there are: the hash's top six bits.
    @Test func ranges_whenUsersAreMany_holdEverybody() async throws {
        let fixture = try await F()
        let found = try fixture.lines(
            "select distinct uuid_hash(gen_random_uuid()) >> 26 from generate_series(1, 20000)"
        ).compactMap { Int32($0) }
        #expect(Set(found) == Set(RangeWalk.ranges))
    }

    /// Statements that distributed tables refuse, with another one in their place (`asking`, halves), and `nudged
    /// after-restore`, which is not for them (docs/SCALING.md).
    private static let plainOnly: Set<String> = [
        "free_people", "claim_devices_bounded", "claim_messages_bounded", "claim_reminders_bounded", "hold_messages",
        "restore_users",
    ]
    /// Tables of the coordinator: rows may be locked there, and a LIMIT computed.
    private static let onCoordinator: Set<String> = [
        "heartbeat", "recover", "take_ranges", "lock_member", "orphans", "read_owner",
    ]

    @Test func statements_areAllSeen() {
        #expect(Query.allCases.count > 80 && Self.plainOnly.isSubset(of: Query.allCases.map(\.name)))
        for query in Query.allCases {
            #expect(query.sql.hasPrefix("-- "), "\(query.name) does not begin with its purpose")
        }
    }

    @Test(arguments: Query.allCases.map(\.name))
    func statements_whenTablesAreDistributed_sayNothingThatIsRefused(query: String) throws {
        let sql = try #require(Query.allCases.first { $0.name == query }).sql
        guard !Self.plainOnly.contains(query) else { return }
        let text = Self.oneLine(sql)
        for (what, pattern) in Self.refused where !Self.onCoordinator.contains(query) {
            #expect(text.firstMatch(of: pattern) == nil, "\(query): \(what)")
        }
        // The server's own catalogs are each machine's.
        for inner in Self.bodies(of: "lateral (", in: text) where inner.contains("nudged.") {
            #expect(!inner.contains(" limit "), "\(query): a limit for each row of another list")
        }
        for window in Self.bodies(of: "over (", in: text) {
            let isOnes = window.firstMatch(of: /partition by [^()]*user_id/) != nil
            #expect(isOnes, "\(query): a window that is not one user's")
        }
        // Of one table with another, by user_id: they lie side by side. Of a list with a table it is refused.
        if !["due_fan_outs", "fan_out_drop", "claim_people", "remaining"].contains(query) {
            let exists = /exists \( ?select 1 from nudged\.\w+ \w+ where \w+\.user_id = \w+\.user_id/
            #expect(text.firstMatch(of: exists) == nil, "\(query): exists, for each row of a list")
        }
        // A fan-out belongs to one author, so to one shard. Rows of daemons and intents may be locked, because these
        // tables are not distributed.
        if query != "fan_out_hold", !Self.onCoordinator.contains(query) {
            #expect(text.firstMatch(of: /for (update|share|key share)/) == nil, "\(query): locks rows across shards")
        }
    }

    /// As seen on Citus 13.2, and why.
    private static var refused: [(String, Regex<Substring>)] {
        [
            ("an empty list of columns can't be carried to another machine", /select from/),
            ("a subquery in LIMIT", /limit [^()]*\( ?select/),
            ("a cast that is not immutable, in an update across shards", /w\.retry::/),
            // Not refused: the server ends.
            ("a part of a list is assigned", /= \(\$[0-9]+::[a-z]+\[\]\)\[/),
            // Done, by bringing the whole table to the coordinator.
            ("an outer join of a list with a table", /left join nudged\./),
        ]
    }

    /// Without comments, each space one.
    private static func oneLine(_ sql: some StringProtocol) -> String {
        sql.split(separator: "\n").map { $0.prefix(upTo: $0.firstRange(of: "--")?.lowerBound ?? $0.endIndex) }
            .joined(separator: " ").split(separator: " ").joined(separator: " ")
    }

    /// The text in the parentheses that end with `opening`.
    private static func bodies(of opening: String, in text: String) -> [Substring] {
        text.ranges(of: opening).map { range in
            var depth = 1
            return text[range.upperBound...].prefix { character in
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
                return depth > 0
            }
        }
    }

    /// What apps call runs there as well: rows are locked of one user who is named, and no outer join fetches a table.
    @Test func functions_whenTablesAreDistributed_sayNothingThatIsRefused() async throws {
        let fixture = try await F()
        let rows = try fixture.lines(
            """
            select p.proname || ' ' || replace(encode(convert_to(p.prosrc, 'UTF8'), 'base64'), E'\\n', '')
            from pg_proc p
            where p.pronamespace in ('nudged'::regnamespace, 'nudged_api'::regnamespace) and p.prosrc <> ''
            """
        )
        var locks = 0
        // Tables of the coordinator.
        let local = ["from nudged.intent", "from nudged.setting"]
        let owners = ["app_views"]
        for row in rows {
            let parts = row.split(separator: " ")
            let source = try #require(Data(base64Encoded: String(parts[1])))
            for statement in Self.statements(String(decoding: source, as: UTF8.self)) {
                let isOwners = owners.contains(String(parts[0]))
                #expect(isOwners || statement.firstMatch(of: /left join nudged\./) == nil, "\(parts[0]): \(statement)")
                #expect(statement.firstMatch(of: /limit [^()]*\( ?select/) == nil, "\(parts[0]): \(statement)")
                guard statement.contains("for update") else { continue }
                if local.contains(where: { statement.contains($0) }) { continue }
                locks += 1
                // The statement, and the question in it.
                let selects = statement.ranges(of: /from (?:nudged|public)\.\w+\b(?!\()/).count
                let named = statement.ranges(of: /user_id = \w+/).count
                #expect(named >= selects, "\(parts[0]): \(statement)")
            }
        }
        // cancel, cancel_messages, hold_occurrences (twice: also the statement for when the first is refused), erase,
        // forget_devices, forget_device, define_forget_device, move_device, drop_devices, end_reminders_of, erase_departed,
        // note_seen.
        #expect(locks == 13)
    }

    private static func statements(_ source: String) -> [String] { source.split(separator: ";").map(oneLine) }
}
