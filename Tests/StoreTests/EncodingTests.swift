import Policy
import Postgres
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

extension StoreFixture {
    /// A migrated database that was made with these options of `create database`.
    ///
    /// - Parameter app: SQL of the app that comes before the migration.
    convenience init(made options: String, app: String = "") async throws {
        let cluster = try Self.cluster.get()
        let template = "made_\(UUID().uuidString)"
        try cluster.sql("create database \"\(template)\" template template0 \(options)")
        defer { try? cluster.dropDatabase(named: template) }
        try self.init(on: cluster, template: template)
        if !app.isEmpty { try sql(app) }
        try await migrate()
    }
}

/// Databases in other encodings than UTF-8.
@Suite(.ownThreads) struct EncodingTests {
    /// Migrated, in LATIN1, with these users claimed by one member.
    private static func latin1() async throws -> (F, UUID, [ClaimedUser]) {
        let fixture = try await F(made: "encoding 'LATIN1' locale 'C'")
        try fixture.seed(1...3)
        let member = try await fixture.member()
        return (fixture, member, try await fixture.claim(3))
    }

    /// 233 is an e with an acute accent: one byte in LATIN1, two in a payload.
    @Test(arguments: [
        "(nudged_api.send(\(F.quoted(1)), 'a', repeat(chr(233), 3000))).id",
        "nudged_api.send_many(jsonb_build_array(jsonb_build_object('user_id', \(F.quoted(1)), 'title', repeat(chr(233), 3000))))",
        "nudged_api.send_many(array[\(F.quoted(1))]::uuid[], '', repeat(chr(233), 3000))",
        "(nudged_api.send(\(F.quoted(1)), 'a', 'b', data => jsonb_build_object('a', repeat(chr(233), 3000)))).id",
        "(nudged_api.send(\(F.quoted(1)), 'a', 'b', apns => jsonb_build_object('subtitle', repeat(chr(233), 3000)))).id",
        "nudged_api.set_reminder(\(F.quoted(1)), 'task', 'a', 'a', repeat(chr(233), 3000), now() + '1 hour'::interval)",
        "nudged_api.preview(\(F.quoted(1)), 'a', repeat(chr(233), 3000))",
    ]) func text_whenTheDatabaseIsLATIN1_isCountedInUTF8(call: String) async throws {
        let (fixture, _, _) = try await Self.latin1()
        let fault = #expect(throws: (any Error).self) { try fixture.sql("select \(call)") }
        #expect("\(String(describing: fault))".contains("the payload has 6"), "\(call)")
        try fixture.sql("select \(call.replacing("3000", with: "1500"))")
        let template = "insert into nudged.template (title, body) values ('a', repeat(chr(233), 3000))"
        #expect(throws: (any Error).self) { try fixture.sql(template) }
    }

    /// An answer of the decision service, a daemon's state, an operator's reason: texts that come from outside.
    @Test func write_whenTheEncodingLacksACharacter_writesQuestionMarks() async throws {
        let (fixture, member, users) = try await Self.latin1()
        let decision = #"{"by": "service", "reason": "caf\u00e9 \u2026 🔥 \\u2026 é"}"#
        func record(_ user: ClaimedUser) -> DeliveryRecord { F.skipped(user, decision: decision) }
        let intent = F.intent(member, users.map { F.announced($0, [record($0)]) })
        _ = try await fixture.store.commit(intent)
        let kept = "caf? ? ?? \\u2026 ?"
        let read = { (column: String, table: String) in
            try fixture.sql("select distinct encode(convert_to(\(column), 'UTF8'), 'hex') from \(table)")
        }
        let hex = kept.utf8.map { String($0, radix: 16) }.joined()
        let settlement = Settlement(
            member,
            users.dropFirst().map { F.change($0, record($0)) },
            closed: [F.part(intent, Array(intent.changes.dropFirst()), isWhole: true)]
        )
        #expect(try await fixture.store.settle(settlement).settled.count == 2)
        // The first one's comes from the intent.
        #expect(try await fixture.store.recoverOrphans(limit: 9).intents == 1)
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "3")
        #expect(try read("decision ->> 'reason'", "nudged.delivery") == hex)
        _ = try await fixture.store.pause([.message], by: "me@\u{1F525}", why: "caf\u{e9}")
        #expect(try read("reason", "nudged.paused") == "636166c3a9")
        #expect(try fixture.sql("select by_whom from nudged.paused") == "me@??")
    }

    @Test func asciiJSON_isTheSameValue() {
        #expect(#"{"é\\u00e9":"\n\"🔥"}"#.asciiJSON == ##"{"\u00e9\u005cu00e9":"\n\"\ud83d\udd25"}"##)
    }
}
