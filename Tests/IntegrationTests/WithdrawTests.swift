import APNsSimulator
import JSON
import TestSupport
import Testing

/// What was read elsewhere leaves the screen: from `nudged_api.withdraw` to the bytes that the simulated Apple takes.
@Suite(.ownThreads) struct WithdrawTests {
    private func scene(devices: Int = 1, perDevice: Scene.Answers? = nil) async throws -> Scene {
        try await Scene.withoutCheckIns(1, devices: devices, perDevice: perDevice)
    }

    private static let user = Scene.user(1)

    private func send(_ scene: Scene, _ more: String = "") throws -> String {
        try scene.sql("select (nudged_api.send('\(Self.user)', 'Ann', 'Hello'\(more))).id")
    }

    /// `done|too_late`.
    private func withdraw(_ scene: Scene, _ id: String, by user: String = user) throws -> String {
        try scene.sql("select done, too_late from nudged_api.withdraw('\(user)', '\(id)')")
    }

    private func withdrawal(_ push: AcceptedPush) throws -> String? {
        guard case .string(let id)? = try JSONValue(parsing: push.payload)["withdraw"] else { return nil }
        return id
    }

    /// In the night, with a full limit. It is sent once, and leaves no trace in the limit.
    @Test func message_whenReadElsewhere_leavesEachDevice() async throws {
        let scene = try await scene(devices: 2)
        let id = try send(scene)
        #expect(try await scene.once().number("sent") == 2)
        try scene.setPreferences(#"{"quiet_hours_start": "00:00", "quiet_hours_end": "23:59", "max_per_day": 1}"#)
        #expect(try withdraw(scene, id.uppercased()) == "0|1")
        #expect(try withdraw(scene, id) == "0|0", "it waits already")
        let name = try scene.sql("select id from nudged.message")
        #expect(try await scene.once().number("sent") == 2)
        let pushes = scene.simulator.snapshot().accepted
        let (shown, told) = (pushes.prefix(2), pushes.suffix(2))
        #expect(Set(told.map(\.token)) == [Scene.token(1), Scene.token(1, 1)])
        for push in told {
            #expect(push.pushType == "background" && push.priority == 5)
            #expect(push.text == #"{"aps":{"content-available":1},"withdraw":"\#(id)","nudge":"\#(name)"}"#)
        }
        #expect(Set(told.map(\.collapseID)) == Set(shown.map(\.collapseID)))
        #expect(try scene.states().values.map(\.history.sent.count) == [1])
        #expect(try withdraw(scene, id) == "0|0")
        #expect(try await scene.once().number("sent") == 0)
    }

    @Test func message_whenItWaits_isCancelled() async throws {
        let scene = try await scene()
        let id = try send(scene)
        #expect(try withdraw(scene, id) == "1|0" && withdraw(scene, id) == "0|0")
        #expect(try await scene.once().number("sent") == 0)
    }

    /// Nothing that this user never got: another user's message, an unknown id, a push of last week.
    @Test func nudge_whenTheUserDidNotGetIt_isNotWithdrawn() async throws {
        let scene = try await scene()
        let id = try send(scene)
        _ = try await scene.once()
        #expect(try withdraw(scene, id, by: Scene.user(2)) == "0|0")
        #expect(try withdraw(scene, "0f4a1c3e-9b7d-4c2a-8e5f-001122334455") == "0|0")
        #expect(try withdraw(scene, "2026-11-20") == "0|0")
        try scene.sql("update nudged.delivery set attempted_at = now() - interval '8 days'")
        #expect(try withdraw(scene, id) == "0|0")
        #expect(try scene.sql("select count(*) from nudged.message") == "0")
    }

    /// One device has it, and Apple asks to try the other one later: that one never gets it.
    @Test func message_whenADeviceIsLeft_ends() async throws {
        let scene = try await scene(
            devices: 2,
            perDevice: { token, attempt in
                token == Scene.token(1, 1) && attempt == 1 ? .answer(status: 503, reason: "Shutdown") : nil
            }
        )
        let id = try send(scene)
        _ = try await scene.once()
        #expect(try scene.sql("select count(*) from nudged.message") == "1")
        #expect(try withdraw(scene, id) == "0|1")
        #expect(try await scene.once().number("sent") == 2)
        let pushes = scene.simulator.snapshot().accepted
        #expect(try pushes.map(withdrawal) == [nil, id, id])
        #expect(try scene.sql("select retry is null from nudged.person") == "t")
    }

    /// Apple has not answered yet, and then asks to try again later: the phone never gets it.
    @Test func message_whenOnItsWay_isNotTriedAgain() async throws {
        let scene = try await scene(perDevice: { _, attempt in
            attempt == 1 ? .held(then: .answer(status: 503, reason: "Shutdown")) : nil
        })
        let id = try send(scene)
        let process = try scene.startFast(["APNS_RESPONSE_TIMEOUT": "300s", "SCHEDULE_LEASE": "900s"])
        #expect(await scene.simulator.wait { $0.held == 1 })
        #expect(try withdraw(scene, id) == "0|1")
        scene.simulator.release()
        #expect(await scene.simulator.waitUntil(accepted: 1))
        try await scene.wait(for: "count(*) = 0 from nudged.message", of: process)
        try await scene.stop(process)
        #expect(try scene.simulator.snapshot().accepted.map(withdrawal) == [id])
        let outcomes = "select outcome, reason from nudged.delivery where key = '\(id)' order by 1"
        try scene.expect(outcomes, ["deferred|Shutdown", "dropped|withdrawn"])
    }

    /// By the date that its payload names. A device that is left gets only the withdrawal.
    @Test func checkIn_whenWithdrawn_leavesTheScreen() async throws {
        let scene = try await Scene(
            perDevice: { token, attempt in
                token == Scene.token(1, 1) && attempt == 1 ? .answer(status: 503, reason: "Shutdown") : nil
            }
        )
        try scene.seedDue(1, devices: 2)
        _ = try await scene.once()
        let date = try scene.sql("select distinct key from nudged.delivery where kind = 'check_in'")
        #expect(try withdraw(scene, date) == "0|1")
        #expect(try await scene.once().number("sent") == 2)
        #expect(try scene.simulator.snapshot().accepted.map(withdrawal) == [nil, date, date])
        #expect(try scene.lines("select outcome from nudged.delivery where reason = 'withdrawn'") == ["skipped"])
        #expect(try scene.sql("select retry is null from nudged.person") == "t")
    }

    /// The payload's name takes one push away, and the series goes on. The reminder's own id also ends the series.
    @Test func reminder_whenWithdrawn_goesOnUnlessItIsMeant() async throws {
        let scene = try await Scene.withReminders(1)
        let id = try scene.setReminder(1, "due_at => now(), recurrence => 'FREQ=DAILY'")
        _ = try await scene.onceWell()
        let nudge = try scene.sql("select key from nudged.delivery where kind = 'reminder'")
        #expect(try withdraw(scene, nudge) == "0|1")
        #expect(try await scene.onceWell().number("sent") == 1)
        #expect(try scene.sql("select count(*) from nudged.occurrence") == "1")
        #expect(try scene.simulator.snapshot().accepted.map(withdrawal) == [nil, nudge])
        #expect(try withdraw(scene, id) == "1|0", "the push was taken away before")
        #expect(try scene.sql("select count(*) from nudged.occurrence") == "0")
    }

    @Test func reminder_whenWithdrawnByItsOwnID_leavesTheScreen() async throws {
        let scene = try await Scene.withReminders(1)
        let id = try scene.setReminder(1, "due_at => now(), recurrence => 'FREQ=DAILY'")
        _ = try await scene.onceWell()
        let nudge = try scene.sql("select key from nudged.delivery where kind = 'reminder'")
        #expect(try withdraw(scene, id) == "1|1")
        #expect(try await scene.onceWell().number("sent") == 1)
        #expect(try scene.simulator.snapshot().accepted.map(withdrawal) == [nil, nudge])
    }

    /// A withdrawal is a message like others for the limit of those that wait.
    @Test func withdrawal_whenTooManyWait_isDropped() async throws {
        let scene = try await scene()
        let id = try send(scene)
        _ = try await scene.once()
        _ = try send(scene, ", deliver_at => now() + interval '1 day'")
        try scene.sql("update nudged.setting set max_messages = 1")
        #expect(try withdraw(scene, id) == "0|1")
        #expect(try scene.sql("select count(*) from nudged.message") == "1")
        let dropped = "select count(*) from nudged.delivery where outcome = 'dropped' and reason = 'too_many_waiting'"
        try scene.expect(dropped, "1")
    }

    /// A backend that may not send withdraws nothing; a user only their own.
    @Test func withdraw_whenCalledByASignedInUser_isForTheirs() async throws {
        let scene = try await scene()
        let id = try send(scene)
        _ = try await scene.once()
        try scene.sql(Scene.auth)
        func answer(_ user: String) throws -> String? {
            try scene.lines(
                "set request.jwt.claim.sub = '\(user)'; select done, too_late from nudged_me.withdraw('\(id)')"
            ).last
        }
        #expect(try answer(Scene.user(2)) == "0|0" && answer(Scene.user(1)) == "0|1")
    }
}
