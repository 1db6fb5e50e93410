import APNsSimulator
import JSON
import TestSupport
import Testing

/// Badge, sound and conversation of each kind of nudge, from SQL to the bytes that the simulated Apple takes.
@Suite(.ownThreads) struct AlertBytesTests {
    private static let conversation = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"

    /// A check-in's conversation is that of the context: a UUID, null, or absent.
    @Test func checkIn_whenItsTemplateHasApns_showsIt() async throws {
        let scene = try await Scene()
        try scene.seedDue(3)
        func named(_ end: String) throws -> String {
            end + #","nudge":"\#(try scene.sql("select max(key) from nudged.delivery"))"}"#
        }
        try scene.setContext(of: 2, #"{"conversation_id": null}"#)
        try scene.setContext(of: 3, #"{"conversation_id": "\#(Self.conversation)", "domain": "work"}"#)
        try scene.sql(
            """
            delete from nudged.template;
            insert into nudged.template (title, body, apns)
            values ('Hello', 'How are you?', '{"badge": 1, "sound": "bell.caf", "data": {"x": 1}}')
            """
        )
        let run = try await scene.once()
        #expect(run.number("sent") == 3, "\(run.text)")
        let aps = #"{"aps":{"alert":{"title":"Hello","body":"How are you?"},"sound":"bell.caf","badge":1}"#
        for user in [1, 2] {
            #expect(scene.payloads(of: user) == [try named(aps + #","action":"new_conversation","x": 1"#)])
        }
        let opened = #","conversation_id":"\#(Self.conversation)","domain":"work","action":"open_conversation","x": 1"#
        #expect(scene.payloads(of: 3) == [try named(aps + opened)])
    }

    /// `conversation_id` is a UUID or null, and there is a badge.
    @Test(arguments: [
        (#"{"conversation_id": null, "domain": "work"}"#, #","domain":"work","action":"new_conversation""#),
        (#"{"conversation_id": null}"#, #","action":"new_conversation""#),
        (
            #"{"conversation_id": "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"}"#,
            #","conversation_id":"0f4a1c3e-9b7d-4c2a-8e5f-001122334455","action":"open_conversation""#
        ),
    ]) func message_whenItsConversationIsAUUIDOrNull_hasItsAction(data: String, end: String) async throws {
        let scene = try await Scene.withReminders(1)
        try scene.sql(
            """
            select (nudged_api.send(
                '\(Scene.user(1))', 'a', 'b', data => '\(data)', apns => '{"badge": 1, "sound": "default"}')).id
            """
        )
        #expect(try await scene.onceWell().number("sent") == 1)
        let name = try scene.sql("select key from nudged.delivery")
        let aps = #"{"aps":{"alert":{"title":"a","body":"b"},"sound":"default","badge":1}"#
        #expect(scene.payloads(of: 1) == [#"\#(aps)\#(end),"nudge":"\#(name)"}"#])
    }

    private static let apns = #"apns => '{"sound": "bell.caf", "badge": 3}'"#
    private static let aps =
        #"{"alert":{"title":"Water","body":"planted-reminder-text"},"sound":"bell.caf","badge":3}"#

    private func expectSoundAndBadge(_ scene: Scene, pushes: Int) throws {
        let payloads = try scene.simulator.snapshot().accepted.map { try JSONValue(parsing: $0.payload) }
        let expected = try JSONValue(parsing: Self.aps)
        #expect(payloads.count == pushes && payloads.allSatisfy { $0["aps"] == expected }, "\(payloads)")
        #expect(payloads.allSatisfy { $0["subject_type"] == .string("task") })
    }

    /// Each time of a series has them, and so has a snoozed one.
    @Test func reminder_whenItHasSoundAndBadge_bringsThemEachTime() async throws {
        let scene = try await Scene.withReminders(1)
        try scene.setReminder(1, "due_at => now(), recurrence => 'FREQ=DAILY;COUNT=9', \(Self.apns)")
        _ = try await scene.onceWell()
        try expectSoundAndBadge(scene, pushes: 1)
        #expect(try scene.sql("select number from nudged.occurrence") == "2")
        // Its hour, by moving the row, as if a day had passed.
        try scene.sql(
            """
            update nudged.occurrence set due_local = due_local - interval '1 day',
                planned_local = planned_local - interval '1 day', first_local = first_local - interval '1 day';
            update nudged.person set due_at = now()
            """
        )
        _ = try await scene.onceWell()
        try expectSoundAndBadge(scene, pushes: 2)
        let snooze =
            "select done from nudged_api.snooze_reminder(null, (select id from nudged.reminder), now() + interval '1 hour')"
        #expect(try scene.sql(snooze) == "1")
        try scene.sql("update nudged.occurrence set due_at = now() - interval '1 second' where due_local is null")
        _ = try await scene.onceWell()
        try expectSoundAndBadge(scene, pushes: 3)
    }

    /// Everyone's push has them, and so has the next fan-out.
    @Test func reminder_whenForEveryone_bringsSoundAndBadgeToEach() async throws {
        let scene = try await Scene.withReminders(3)
        try scene.everyoneIsMember()
        try scene.setReminder(1, "due_at => now(), audience => 'everyone', recurrence => 'FREQ=DAILY', \(Self.apns)")
        #expect(try await scene.onceWell().number("sent") == 3)
        try expectSoundAndBadge(scene, pushes: 3)
        let next = "select is_fan_out, number, apns ->> 'badge', apns ->> 'sound' from nudged.occurrence"
        try scene.expect(next, ["t|2|3|bell.caf"])
    }
}

/// A badge that counts, from SQL to the bytes that the simulated Apple takes.
@Suite(.ownThreads) struct BadgeTests {
    private func badges(_ scene: Scene) throws -> [Int64?] {
        try scene.simulator.snapshot().accepted.map { push in
            guard case .int(let number)? = try JSONValue(parsing: push.payload)["aps"]?["badge"] else { return nil }
            return number
        }
    }

    /// A message, a check-in and a reminder count together, until the app sees the user.
    @Test func badge_whenItCounts_isANumberOfTheUsers() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        let user = Scene.user(1)
        let counting = #"apns => '{"badge": "increment"}'"#
        try scene.sql(#"update nudged.template set apns = '{"badge": "increment"}'"#)
        try scene.sql("select (nudged_api.send('\(user)', 'Ann', 'Hello', \(counting))).id")
        let bytes = try scene.payloadBytes()
        #expect(try await scene.once().number("sent") == 2)
        #expect(try badges(scene) == [1, 2])
        // Room for the largest number.
        #expect(try #require(scene.simulator.snapshot().accepted.first).payload.count + 9 == bytes)
        try scene.sql(
            "select nudged_api.set_reminder('\(user)', 'task', '7', 'Water', '', due_at => now(), \(counting))"
        )
        try scene.sql("select (nudged_api.send('\(user)', null, null, \(counting))).id")
        #expect(try await scene.once().number("sent") == 2)
        #expect(try badges(scene).sorted { $0 ?? 0 < $1 ?? 0 } == [1, 2, 3, 4])
        try scene.sql("select nudged_api.seen('\(user)')")
        try scene.sql("select (nudged_api.send('\(user)', 'Ann', 'Hello', \(counting))).id")
        #expect(try await scene.once().number("sent") == 1)
        #expect(try badges(scene).last == 1)
    }
}
