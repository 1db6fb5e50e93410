import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import Postgres
import Seeded
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

/// 20,000 users and 30,000 tokens with every preference and every zone mixed, against an independent reading of
/// docs/POLICY-SPEC.md.
@Suite(.ownThreads) struct ReferenceLongTests {
    /// One user as the app's tables hold them.
    struct Person: Sendable {
        let id: String
        var preferences: String?
        let timezone: String?
        let firstSession: Bool
        var devices: [(token: String, registered: Int64, platform: String, environment: String?, topic: String?)] = []

        var served: Set<String> {
            Set(
                devices.filter {
                    $0.platform == "ios" && $0.environment ?? "sandbox" == "sandbox"
                        && $0.topic ?? Scene.topic == Scene.topic
                }.map { $0.token.lowercased() }
            )
        }

        /// The earliest registration of any Apple device: when check-ins became possible, as far as the data says.
        var since: Int64? { devices.filter { $0.platform == "ios" }.map(\.registered).min() }
    }

    private static func time(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour / 10)\(hour % 10):\(minute / 10)\(minute % 10)"
    }

    private static func preferences(_ random: inout SplitMix64, zones: [String]) -> String? {
        if random.chance(4) { return nil }
        if random.chance(6) {
            return random.pick([
                "{}", "[]", "7", #""yes""#, #"{"check_ins_enabled":"true","frequency":"daily"}"#,
                #"{"check_ins_enabled":true}"#, #"{"check_ins_enabled":true,"frequency":"hourly"}"#,
                #"{"check_ins_enabled":true,"frequency":"daily","weekday":8}"#,
                #"{"check_ins_enabled":true,"frequency":"daily","quiet_hours_start":"22:00"}"#,
                #"{"check_ins_enabled":true,"frequency":"daily","check_in_time":"9:00"}"#,
                #"{"check_ins_enabled":true,"frequency":"daily","max_per_day":0}"#,
            ])
        }
        var parts = [#""check_ins_enabled":\#(!random.chance(8))"#]
        parts.append(#""frequency":"\#(random.pick(["daily", "few_times_a_week", "weekly"]))""#)
        if random.chance(70) {
            let odd = ["Mars/Base", "UTC+3", "europe/berlin", "UTC", ""]
            parts.append(#""timezone":"\#(random.pick(random.chance(5) ? odd : zones))""#)
        }
        if random.chance(70) { parts.append(#""check_in_time":"\#(time(random.int(0...1439)))""#) }
        if random.chance(40) { parts.append(#""weekday":\#(random.int(1...7))"#) }
        if random.chance(30) {
            let start = random.int(0...1439)
            let end = random.chance(20) ? start : random.int(0...1439)
            parts.append(#""quiet_hours_start":"\#(time(start))","quiet_hours_end":"\#(time(end))""#)
        }
        if random.chance(10) { parts.append(#""max_per_day":1,"unknown_key":{"a":[1]}"#) }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func population(_ random: inout SplitMix64, now: Int64) -> [Person] {
        let zones = ZoneDatabase().names
        var people = (1...20_000).map { number in
            Person(
                id: Scene.user(number),
                preferences: preferences(&random, zones: zones),
                timezone: random.chance(20) ? nil : random.pick(zones),
                firstSession: !random.chance(5)
            )
        }
        // 30,000 devices over 20,000 users: none to seven each.
        for number in 0..<30_000 {
            let user = number < 17_000 ? number : random.int(0...16_999)
            // Most registered long ago, some within these days.
            let age = random.chance(85) ? random.int(10...200) * 86_400 : random.int(600...200_000)
            people[user].devices.append(
                (
                    token: Scene.token(number + 1), registered: now - Int64(age),
                    platform: random.chance(5) ? "android" : "ios",
                    environment: random.chance(80) ? nil : random.chance(70) ? "sandbox" : "production",
                    topic: random.chance(90) ? nil : random.chance(70) ? Scene.topic : "com.example.other"
                )
            )
        }
        return people
    }

    private static func insert(_ people: [Person], _ url: String) async throws {
        let connection = try await Connection.open(try .parse(url: url))
        _ = try await connection.run(
            Statement(
                "profiles",
                sql: """
                    insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
                    select u::uuid, p::jsonb, f, z from unnest($1::text[], $2::text[], $3::bool[], $4::text[]) as t (u, p, f, z)
                    """,
                parameters: [
                    .textArray(people.map(\.id)), .textArray(people.map(\.preferences)),
                    .boolArray(people.map(\.firstSession)), .textArray(people.map(\.timezone)),
                ]
            )
        )
        let devices = people.flatMap { person in person.devices.map { (person.id, $0) } }
        _ = try await connection.run(
            Statement(
                "devices",
                sql: """
                    insert into public.push_tokens (user_id, device_token, platform, created_at, updated_at, environment, topic)
                    select u::uuid, t, p, to_timestamp(r), to_timestamp(r), e, o
                    from unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::text[], $6::text[]) as d (u, t, p, r, e, o)
                    """,
                parameters: [
                    .textArray(devices.map(\.0)), .textArray(devices.map(\.1.token)),
                    .textArray(devices.map(\.1.platform)), .int8Array(devices.map(\.1.registered)),
                    .textArray(devices.map(\.1.environment)), .textArray(devices.map(\.1.topic)),
                ]
            )
        )
        await connection.close()
    }

    /// Each user's action, slot and next instant by Tests/Reference/policy_reference.py.
    private static func decide(_ scene: Scene, _ people: [Person], now: Int64) async throws -> [String: String] {
        let instant = Instant(seconds: now).rfc3339
        let lines = people.map { person in
            let zone = person.timezone.map { "\"\($0)\"" } ?? "null"
            let since = person.since.map { "\"\(Instant(seconds: $0).rfc3339)\"" } ?? "null"
            return
                #"{"id":"\#(person.id)","kind":"check_in","now":"\#(instant)","user_id":"\#(person.id)","preferences":"#
                + #"\#(person.preferences ?? "null"),"timezone":\#(zone),"first_session_complete":\#(person.firstSession),"#
                + #""devices":\#(person.served.count),"since":\#(since)}"#
        }
        let input = scene.write(lines.joined(separator: "\n") + "\n", to: "questions-\(now).jsonl")
        let script = Checkout.root + "/Tests/Reference/policy_reference.py"
        let run = try await ChildProcess.toEnd(["python3", script], from: .file(input))
        try #require(run.exit == .code(0), "\(run.text)")
        var answers: [String: String] = [:]
        for line in run.output.split(separator: "\n") {
            let answer = try JSONValue(parsing: String(line))
            guard let id = answer["id"]?.text, let action = answer["action"]?.text else { continue }
            answers[id] = "\(action) \(answer["next_at"]?.text ?? answer["slot"]?.text ?? "")"
        }
        #expect(answers.count == people.count)
        return answers
    }

    @Test func devices_whenTwentyThousandUsersAreMixed_areThoseOfTheReference() async throws {
        let seed = Seeds.extra
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        // Seeded before the migration: an existing project's data.
        let scene = try await Scene(migrated: false)
        scene.secrets.withLock { $0.append("c0ffee00000000") }
        try scene.sql(
            "create table public.context_profiles (user_id uuid primary key, notification_preferences jsonb, first_session_complete boolean not null, timezone text)"
        )
        try scene.sql(
            "create table public.push_tokens (id uuid primary key default gen_random_uuid(), user_id uuid not null, device_token text not null, platform text not null, created_at timestamptz not null, updated_at timestamptz not null, environment text, topic text, unique (user_id, device_token))"
        )
        let start = Int64(Glibc.time(nil))
        let people = Self.population(&random, now: start)
        try await Self.insert(people, scene.cluster.url(database: scene.database))
        #expect(try await scene.nudged(["migrate"]).exit == .code(0))
        try scene.writeText()

        let before = Int64(Glibc.time(nil)) - 2
        let first = try await scene.once().ends()
        let firstTokens = scene.accepted()
        let second = try await scene.once()
        let end = Int64(Glibc.time(nil)) + 2
        #expect(second.exit == .code(0), "\(second.text)")

        async let evaluated = Self.decide(scene, people, now: before)
        async let evaluatedLater = Self.decide(scene, people, now: end)
        let (atStart, later) = try await (evaluated, evaluatedLater)
        func sends(_ answer: String?) -> Bool { answer?.hasPrefix("send") == true }
        var (expected, either): (Set<String>, Set<String>) = ([], [])
        for person in people {
            // A slot lives for hours: what is the same at both ends was the same in between.
            let isSame = sends(atStart[person.id]) == sends(later[person.id])
            if !isSame {
                either.formUnion(person.served)
            } else if sends(atStart[person.id]) {
                expected.formUnion(person.served)
            }
        }
        print("reference: \(expected.count) devices expected, \(either.count) at a border; run: \(first.output)")
        // At a full hour the windows of many users open and close.
        let isAtHour = before / 3_600 != end / 3_600
        #expect(either.count < (isAtHour ? 1_500 : 300) && expected.count > 1000)
        #expect(firstTokens.values.allSatisfy { $0 == 1 }, "a device got two")
        let got = Set(firstTokens.keys.map { $0.lowercased() })
        let (tooMany, missing) = (got.subtracting(expected), expected.subtracting(got))
        #expect(tooMany.subtracting(either).isEmpty, "\(tooMany.subtracting(either).count) too many")
        #expect(missing.subtracting(either).isEmpty, "\(missing.subtracting(either).count) missing")
        try scene.expect("select count(*) from nudged.delivery where outcome = 'accepted'", "\(scene.accepted().count)")
        // The second run sent nothing that the first had sent, and nothing but what became due meanwhile.
        #expect(scene.accepted().values.allSatisfy { $0 == 1 })
        #expect(Set(scene.accepted().keys.map { $0.lowercased() }).subtracting(got).isSubset(of: either))
        try await changeFrequency(scene, people)
    }

    /// One user's frequency changed in SQL: the next run decides by the new one. Their daily slot is in two hours, their weekly one is not.
    private func changeFrequency(_ scene: Scene, _ people: [Person]) async throws {
        // Someone without a push so far, because a check-in of today would prevent another.
        let accepted = Set(scene.accepted().keys)
        let index = try #require(
            people.firstIndex { person in
                person.firstSession && !person.served.isEmpty && person.served.count == person.devices.count
                    && person.devices.allSatisfy { !accepted.contains($0.token) }
            }
        )
        let id = people[index].id
        let slot = (Int64(Glibc.time(nil)) + 7200) / 60 * 60
        let day = (slot / 86_400 + 3) % 7 + 1
        let minutes = Int(slot % 86_400 / 60)
        func write(_ frequency: String) async throws {
            // Anchored three days away, so that the weekly slot is none of today's or tomorrow's.
            let text =
                #"{"check_ins_enabled":true,"frequency":"\#(frequency)","timezone":"UTC","weekday":\#((day + 2) % 7 + 1),"quiet_hours_start":"00:00","quiet_hours_end":"00:00","check_in_time":"\#(Self.time(minutes))"}"#
            try scene.setPreferences(text, where: "user_id = '\(id)'")
            #expect(try await scene.once().exit == .code(0))
        }
        try await write("weekly")
        let due = "select extract(epoch from due_at)::bigint from nudged.person where user_id = '\(id)'"
        #expect(try scene.sql(due) != "\(slot)")
        try await write("daily")
        #expect(try scene.sql(due) == "\(slot)")
    }
}
