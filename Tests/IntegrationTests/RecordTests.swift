import APNsSimulator
import Core
import Glibc
import LocalPostgres
import Policy
import TestSupport
import Testing
import TimeZones

/// The record is for people: the daemon never reads it to decide.
@Suite(.ownThreads) struct RecordTests {
    /// Everyone who was served is due again, with the record and without: the limits, the slots that are closed and the next instants are the same.
    @Test func decisions_whenTheRecordIsGone_areTheSame() async throws {
        var states: [[String]] = []
        for isGone in [false, true] {
            let scene = try await Scene(perDevice: { token, _ in
                token.hasSuffix("30") ? .answer(status: 400, reason: "PayloadEmpty") : nil
            })
            try scene.seedDue(6, devices: 2)
            // One whose slot is stale, and one whose day is full.
            let now = Instant(seconds: Int64(time(nil)))
            let full = UserState(history: History(sent: [now - 3_600, now - 7_200]))
            try scene.sql(
                """
                update public.context_profiles set notification_preferences = notification_preferences
                    || jsonb_build_object('check_in_time', to_char((now() - interval '5 hours') at time zone 'UTC', 'HH24:MI'))
                where user_id = '\(Scene.user(4))';
                insert into nudged.person (user_id, due_at, state) values ('\(Scene.user(5))', now(), '\\x\(Scene.hex(full.bytes))')
                """
            )
            let limits: [String: String?] = ["POLICY_MAX_PER_DAY": "2"]
            #expect(try await scene.once(limits).exit == .code(0))
            let sent = scene.accepted().values.reduce(0, +)
            if isGone {
                let days = try scene.lines(
                    "select i.inhrelid::regclass from pg_inherits i where i.inhparent = 'nudged.delivery'::regclass and i.inhrelid <> 'nudged.delivery_default'::regclass"
                )
                #expect(days.count >= 9)
                for day in days { try scene.sql("drop table \(day)") }
                try scene.sql("truncate nudged.delivery")
                #expect(try scene.sql("select count(*) from nudged.delivery") == "0")
            }
            try scene.sql(
                "update nudged.person set due_at = now() - interval '1 second', version = version + 4294967296"
            )
            try await scene.once(limits).ends(0, ["sent": 0])
            #expect(scene.accepted().values.reduce(0, +) == sent)
            states.append(
                try scene.lines(
                    """
                    select right(user_id::text, 2), retry, quarantine, round(extract(epoch from due_at - now()) / 3600)
                    from nudged.person order by user_id
                    """
                )
                    + scene.states().sorted { $0.key < $1.key }.map { _, state in
                        "\(state.history.checkIns.map(\.slot)) \(state.history.closed) \(state.history.sent.count)"
                    }
            )
        }
        #expect(states[0] == states[1] && states[0].count == 12)
    }
}
