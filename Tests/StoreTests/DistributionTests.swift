import Testing

@testable import Store

/// What a database on several machines asks of the tables, held on one.
@Suite struct DistributionTests {
    typealias F = StoreFixture

    /// Tables that hold no rows about users: chunks of pushes (they name users in lists, and live for seconds), daemons, migrations, who may what, what is paused.
    private static let others: Set<String> = ["intent", "daemon", "migration", "role_right", "paused", "template"]

    /// Every table of schema nudged is one of rows about users, or stands in the list above: a new one has to be thought about.
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
            where c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
            group by 1, 2
            """
        ).map { $0.split(separator: "|").map(String.init) }
        for table in tables where !Self.others.contains(table) {
            let mine = keys.filter { $0[0] == table }
            #expect(!mine.isEmpty, "\(table) has no key")
            for key in mine { #expect(key[2] == "t", "\(key[1]) of \(table) does not hold user_id") }
        }
        // And no foreign key crosses users.
        let foreign = try fixture.lines(
            """
            select c.conrelid::regclass, c.conname from pg_constraint c join pg_class t on t.oid = c.conrelid
            where c.contype = 'f' and t.relnamespace = 'nudged'::regnamespace
              and not exists (
                  select from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.attname = 'user_id'
              )
            """
        )
        #expect(foreign.isEmpty)
        await fixture.close()
    }

    /// The ranges that a claim asks for are all there are: the hash's top six bits.
    @Test func ranges_whenUsersAreMany_holdEverybody() async throws {
        let fixture = try await F()
        let found = try fixture.lines(
            "select distinct uuid_hash(gen_random_uuid()) >> 26 from generate_series(1, 20000)"
        ).compactMap { Int32($0) }
        #expect(Set(found) == Set(RangeWalk.ranges))
        await fixture.close()
    }

    /// Citus carries no empty list of columns to another machine, locks no rows across shards, and has no trigger of ours.
    @Test(arguments: Query.allCases) func statements_whenTablesAreDistributed_sayNothingThatIsRefused(query: Query) {
        let text = query.sql.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }.joined(
            separator: " "
        )
        #expect(!text.contains("select from"), "\(query)")
        // On daemons and intents rows may be locked: they are no distributed tables.
        // `nudged recover`, `resume` and `replan` lock pages of users: not for distributed tables (docs/SCALING.md). The two `free` are asked where rows are held; what refuses
        // them searches by halves, or waits. A spread is one author's, and so one shard's.
        if ![.spreadHold, .heartbeat, .recover, .restoreUsers, .wakeUsers, .claimFree, .drainFree].contains(query) {
            #expect(!text.contains("for update"), "\(query)")
        }
        #expect(!text.contains("w.retry::"), "\(query)")
    }

    @Test func distribute_whenThereIsNoCitus_doesNothing() async throws {
        let fixture = try await F()
        #expect(try fixture.lines("select * from nudged.distribute()").isEmpty)
        await fixture.close()
    }
}
