import NudgedPreferences
import Seeded
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// What a person asks in psql: who got what, why not, what waits.
@Suite(.ownThreads) struct AnswersTests {
    private static let optedIn = #""check_ins_enabled":true,"frequency":"daily""#

    /// Where no key is misspelt, it is exactly what the daemon says.
    @Test(arguments: Seeds.all) func preferencesFault_whenAnything_isTheDaemons(seed: UInt64) async throws {
        let fixture = try await F()
        var random = SplitMix64(seed: seed)
        let values = [
            "true", "false", "null", "0", "1", "8", "-1", "10.0", "5", "1e2", "9223372036854775807",
            "9223372036854775808", #""daily""#, #""notify_all""#, #""09:00""#, #""24:00""#, #""9:00""#,
            #""Europe/Berlin""#, "[]", #"["a"]"#, "[1]", "{}",
        ]
        let instants = [
            "2026-05-07T04:38:44Z", "2024-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
            "2000-02-29T23:59:59Z", "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
            "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-05-07T24:00:00Z", "2026-05-07T04:38:60Z",
            "2026-05-07T04:38:44+00:00", "2026-05-07t04:38:44Z", "2026-05-07T04:38:44Z\\n", "2026-05-07",
        ].map { "\"\($0)\"" }
        let days = [
            #"{"1":null}"#, #"{"7":{"start":"22:00","end":"08:00","x":[]}}"#, #"{"7":{"start":"22:00"}}"#,
            #"{"0":5,"x":5}"#, #"{"2":{"start":"22:00","end":"24:00"}}"#, #"{"3":{"start":"22:00","end":null}}"#,
            #"{"3":[]}"#, #"{"3":"none"}"#, #"{"4":{"start":5,"end":"08:00"}}"#,
        ]
        var drawn: [String] = []
        for _ in 0..<300 {
            var members = PreferenceKey.allCases.filter { _ in random.chance(8) }.map { key in
                let value =
                    switch key {
                    case .timezone: random.pick([#""UTC""#, #""Asia/Tokyo""#, "null", "5"])
                    // Of another type it is a fault of a person, and not the daemon's.
                    case .smartEnabled: random.pick(["true", "false", "null"])
                    case .mutedUntil:
                        random.pick(values + instants)
                    case .categories: random.pick(values + [#"{"a":true,"b":false}"#, #"{"a":null}"#, #"{"a":1}"#])
                    case .quietHoursByDay: random.pick(values + days)
                    case .pauseThresholdSeconds, .activeConversationThreshold:
                        random.pick(values + ["9", "10", "50", "51", "59", "60", "300", "301", "60.0"])
                    default: random.pick(values)
                    }
                return "\"\(key.rawValue)\":\(value)"
            }
            if random.chance(70) { members.append(Self.optedIn) }
            drawn.append("{\(members.joined(separator: ","))}")
        }
        // As the daemon reads them: a number such as 1e2 is 100 in jsonb. Who wants no check-ins needs no frequency.
        let stored = try fixture.lines(
            """
            select case when p ->> 'frequency' is null and coalesce(p -> 'check_ins_enabled', 'null') in ('null', 'false')
                then p || '{"check_ins_enabled": false, "frequency": "daily"}' else p end
            from unnest(array[\(drawn.map { "'\($0)'" }.joined(separator: ","))]::jsonb[]) with ordinality as w (p, place) order by place
            """
        )
        let wanted = stored.map { Preferences(parsing: $0).malformed ?? "none" }
        let faults = try fixture.lines(
            """
            select coalesce(nudged_api.preferences_fault(p::jsonb), 'none')
            from unnest(array[\(drawn.map { "$j$\($0)$j$" }.joined(separator: ","))]) with ordinality as w (p, place) order by place
            """
        )
        for (place, fault) in faults.enumerated() where (fault == "none") != (wanted[place] == "none") {
            Issue.record("seed \(seed): \(drawn[place]): \(fault), the daemon: \(wanted[place])")
        }
        #expect((20..<290).contains(faults.count { $0 == "none" }), "seed \(seed)")
    }

    /// What doctor counts: urgent messages wait for no zone.
    @Test func waitingZones_areThoseOfTheUsersOfMessages() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            insert into public.context_profiles (user_id, notification_preferences, timezone) values
                (\(F.quoted(1)), '{"timezone": "CET"}', 'Asia/Tokyo'), (\(F.quoted(2)), null, null),
                (\(F.quoted(3)), '{}', null);
            insert into nudged.message (user_id, id, title, body, urgent)
            select u, gen_random_uuid(), '', '', urgent
            from unnest(array[\(F.quoted(1)), \(F.quoted(1)), \(F.quoted(2)), \(F.quoted(3))]::uuid[], '{f,t,f,f}'::boolean[]) as m (u, urgent)
            """
        )
        let connection = try await fixture.connection()
        let rows = try await connection.run(Query.doctorWaitingZones([.int8(100)]))
        let found = try rows.decoded { (preferences: String?, profile: String?, count: Int) in
            (preferences: preferences, profile: profile, count: count)
        }
        #expect(found.first { $0.preferences == "CET" && $0.profile == "Asia/Tokyo" }?.count == 1)
        #expect(found.first { $0.preferences == nil && $0.profile == nil }?.count == 2 && found.count == 2)
    }
}
