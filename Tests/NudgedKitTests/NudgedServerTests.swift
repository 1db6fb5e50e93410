import Foundation
import JSON
import NudgedKit
import TestSupport
import Testing

@MainActor
struct NudgedServerTests {
    private static let token = DeviceToken(repeatElement(0xAB, count: 32))
    private static let hexadecimal = String(repeating: "ab", count: 32)
    private let server = RecordingServer()

    @Test func calls_whenMade_nameWhatIsKnown() async throws {
        try await server.registerDevice(
            DeviceRegistration(token: Self.token, platform: .ipados, environment: .sandbox, topic: "com.example.app")
        )
        try await server.registerDevice(DeviceRegistration(token: Self.token, platform: .macos, environment: nil))
        #expect(try await server.unregisterDevice(Self.token).done == 1)
        #expect(try await server.seen().done == 1)
        server.answer = #" {"id":null,"done":0,"too_late":1,"warnings":[]}\#n"#
        #expect(try await server.unregisterDevice(Self.token).done == 0)
        let checkIn = NudgeID(rawValue: "2026-11-20")
        #expect(try await server.withdraw(checkIn).tooLate == 1)
        try await server.opened(checkIn)
        try await server.feedback(checkIn, isHelpful: false)
        server.answer = #"{"id":null,"done":2,"too_late":1,"warnings":[]}"#
        #expect(try await server.cancelMessages(dedupePrefix: "chat-").done == 2)
        try await server.cancelMessages(category: "chat", threadID: "ann")
        try await server.cancelMessages()
        server.answer = #"{"id":"0f4a1c3e-9b7d-4c2a-8e5f-001122334455","done":1,"too_late":0,"warnings":[]}"#
        #expect(try await server.sendTest().id?.rawValue == "0f4a1c3e-9b7d-4c2a-8e5f-001122334455")
        try await server.sendTest(title: "Ann", body: "Hello.")
        let token = #""token":"\#(Self.hexadecimal)""#
        let calls = [
            #"register_device {\#(token),"platform":"ipados","environment":"sandbox","topic":"com.example.app"}"#,
            #"register_device {\#(token),"platform":"macos"}"#, "unregister_device {\(token)}", "seen {}",
            "unregister_device {\(token)}", #"withdraw {"id":"2026-11-20"}"#, #"opened {"id":"2026-11-20"}"#,
            #"feedback {"id":"2026-11-20","helpful":false}"#, #"cancel_messages {"dedupe_prefix":"chat-"}"#,
            #"cancel_messages {"category":"chat","thread_id":"ann"}"#, "cancel_messages {}", "send_test {}",
            #"send_test {"title":"Ann","body":"Hello."}"#,
        ]
        #expect(server.calls == calls.map { "nudged_me.\($0)" })
    }
    @Test func reminder_whenSet_answersItsID() async throws {
        server.answer =
            #"{"id":"0f4a1c3e-9b7d-4c2a-8e5f-001122334455","done":1,"too_late":0,"warnings":["no_timezone: the author has none"]}"#
        let subject = try #require(Subject(type: "task", id: "7"))
        let reminder = OwnReminder(subject: subject, title: "Water", dueLocal: "2040-05-07T09:00:00")
        let set = try await server.setReminder(reminder)
        #expect(set.warnings.map(\.code) == ["no_timezone"] && set.warnings.map(\.text) == ["the author has none"])
        let id = try #require(set.id)
        #expect(id == NudgeID(rawValue: "0F4A1C3E-9B7D-4C2A-8E5F-001122334455"))
        let arguments =
            #""subject_type":"task","subject_id":"7","title":"Water","body":"","due_local":"2040-05-07T09:00:00""#
        #expect(server.calls == ["nudged_me.set_reminder {\(arguments)}"])
        #expect(try await server.cancel(id) == set)
        #expect(server.calls.last == #"nudged_me.cancel {"id":"0f4a1c3e-9b7d-4c2a-8e5f-001122334455"}"#)
        #expect(try await server.snoozeReminder(id, until: Date(timeIntervalSince1970: 2_220_000_000.5)) == set)
        #expect(server.calls.last?.hasSuffix(#""until":"2040-05-07T10:40:01Z"}"#) == true)
        server.answer = #"{"id":null,"done":1,"too_late":2,"warnings":[]}"#
        let cancelled = try await server.cancelReminders()
        #expect(cancelled.id == nil && cancelled.done == 1 && cancelled.tooLate == 2)
        #expect(server.calls.last == "nudged_me.cancel_reminders {}")
    }

    /// One row with the members of each kind of row, as PostgREST writes it. A later server may have more.
    private nonisolated static let page = """
        [{"place": "a", "id": "0f4a1c3e-9b7d-4c2a-8e5f-001122334455", "key": "2026-11-20", "kind": "letter", "at": null,
          "device": "", "outcome": "lost", "reason": null, "status": 410, "title": "Ann", "body": "", "urgent": true,
          "since": "2026-11-24T09:00:00.25+05:30", "due_at": null, "due_local": "2026-11-24T09:00:00",
          "expires_at": "2026-11-25T09:00:00Z", "author": "0F4A1C3E-9B7D-4C2A-8E5F-000000000001", "subject_type": "task",
          "subject_id": "7", "timezone": null, "recurrence": null, "audience": "me", "source": "message",
          "content": {"later": [9007199254740993]}, "later": {"a": [1]}}]
        """

    @Test func pages_whenRead_areRows() async throws {
        server.answer = Self.page
        let waiting = try #require(try await server.waiting().first)
        #expect(waiting.id.rawValue == "0f4a1c3e-9b7d-4c2a-8e5f-001122334455" && waiting.isUrgent)
        #expect(waiting.dueAt == nil && waiting.since == Date(timeIntervalSince1970: 1_795_491_000.25))
        #expect(waiting.expiresAt == Date(timeIntervalSince1970: 1_795_597_200))
        #expect(waiting.dueLocal == "2026-11-24T09:00:00")
        let reminder = try #require(try await server.reminders(most: 2).first)
        #expect(reminder.author == UserID(UUID(uuidString: "0f4a1c3e-9b7d-4c2a-8e5f-000000000001") ?? UUID()))
        #expect(reminder.subject == Subject(type: "task", id: "7"))
        let entry = try #require(try await server.history(of: waiting.id, after: server.history().last, most: 2).first)
        #expect(entry.kind == EntryKind(rawValue: "letter") && entry.outcome.rawValue == "lost" && entry.status == 410)
        #expect(entry.at == nil && entry.id == NudgeID(rawValue: "2026-11-20"))
        let held = try #require(try await server.export().first)
        #expect(held.source == "message" && held.content.text == #"{"later":[9007199254740993]}"#)
        let file = String(decoding: try JSONEncoder().encode(held), as: UTF8.self)
        #expect(try JSONValue(parsing: file)["content"] == held.content.value)
        #expect(
            server.calls == [
                #"nudged_me.waiting {"most":100}"#, #"nudged_me.list_reminders {"most":2}"#,
                #"nudged_me.history {"most":100}"#,
                #"nudged_me.history {"id":"0f4a1c3e-9b7d-4c2a-8e5f-001122334455","after":"a","most":2}"#,
                #"nudged_me.export {"most":100}"#,
            ]
        )
        // An app keeps rows by a coder of its own.
        #expect(try JSONDecoder().decode(WaitingEntry.self, from: JSONEncoder().encode(waiting)) == waiting)
    }

    /// Nothing that a server answers ends the app.
    @Test(arguments: [
        "{}", "[[]]", #"[{"place": 1}]"#, "null", "[null]", #"[{"place":"a","source":"b"}]"#,
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        page.replacing(#""at": null"#, with: #""at": "soon""#).replacing(#""since": ""#, with: #""since": "x"#)
            .replacing(#""due_at": null"#, with: #""due_at": "2026-13-24T09:00:00Z""#).replacing("content", with: "c"),
    ]) func pages_whenTheyAreNone_areErrors(answer: String) async {
        server.answer = answer
        for read in [
            { _ = try await server.waiting() }, { _ = try await server.reminders() },
            { _ = try await server.history() }, { _ = try await server.export() },
        ] as [@MainActor () async throws -> Void] { await #expect(throws: ServerAnswerError.self) { try await read() } }
    }

    @Test(
        arguments: [
            ("2026-11-24T09:00:00Z", 1_795_510_800), ("2026-11-24T09:00:00+00:00", 1_795_510_800),
            ("2026-11-24T09:00:00.5+01", 1_795_507_200.5), ("2026-11-24T09:00:00.000001-09:30", 1_795_545_000.000_001),
            ("1890-01-01T00:00:00+00:53:28", -2_524_524_808), ("infinity", nil), ("-infinity", nil),
            ("10000-01-01T00:00:00+00:00", nil), ("", nil), ("2026-11-24", nil),
            ("2026-11-24T09:00:00", nil), ("2026-11-24T09:00:00+99999999999999999999", nil), ("soon", nil),
            ("2026-11-24T09:00:00x+01", nil), ("2026-02-30T09:00:00Z", nil),
        ] as [(String, Double?)]
    ) func instant_whenTheDatabases_isADate(text: String, seconds: Double?) async throws {
        server.answer = Self.page.replacing(#""due_at": null"#, with: #""due_at": "\#(text)""#)
        let row = try? await server.waiting().first
        #expect(row?.dueAt?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (-0.5, "1970-01-01T00:00:00Z"), (1.000_1, "1970-01-01T00:00:02Z"),
        (-1e300, "0001-01-01T00:00:00Z"), (.infinity, "9999-12-31T23:59:59Z"), (.nan, "9999-12-31T23:59:59Z"),
    ]) func date_whenSent_isNoEarlierInstant(seconds: Double, text: String) async throws {
        try await server.snoozeReminder(NudgeID(rawValue: "a"), until: Date(timeIntervalSince1970: seconds))
        #expect(server.calls == [#"nudged_me.snooze_reminder {"id":"a","until":"\#(text)"}"#])
    }

    @Test(arguments: [
        ("no_device: the user has: none", "no_device", "the user has: none"), ("late", "", "late"), ("", "", ""),
        ("later_code:", "later_code", ""), ("A text: of an older server", "", "A text: of an older server"),
    ]) func warning_whenRead_hasACode(text: String, code: String, shown: String) {
        let warning = Warning(rawValue: text)
        #expect(warning.code == code && warning.text == shown)
    }

    @Test func preview_whenAsked_isAnsweredLater() async throws {
        server.answer = "null"
        #expect(try await server.preview(title: "Ann", body: "Hello.") == nil)
        server.answer = """
            {"would_notify": false, "action": "wait", "reason": "quiet_hours", "next_at": "2026-11-24T09:00:00Z", "by": "policy",
             "priority": null, "explanation": null, "title": null, "body": null, "devices": 0, "digest": false}
            """
        let preview = try #require(try await server.preview(title: "Ann", body: "Hello."))
        #expect(preview.action == .wait && preview.nextAt == Date(timeIntervalSince1970: 1_795_510_800))
        #expect(server.calls.last == #"nudged_me.preview {"title":"Ann","body":"Hello.","urgent":false}"#)
        server.answer = "[]"
        let error = await #expect(throws: ServerAnswerError.self) { try await server.preview(title: "a", body: "b") }
        #expect(error?.description.hasPrefix("nudged_me.preview: the answer is not ") == true)
    }

    @Test func preferences_whenReadAndWritten_areTheJSON() async throws {
        server.answer = #"{"frequency":"daily"}"#
        #expect(try await server.preferences() == #"{"frequency":"daily"}"#)
        server.answer = ""
        #expect(try await server.preferences() == nil)
        // A phone's stack is small.
        server.answer = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        await #expect(throws: ServerAnswerError.self) { try await server.preferences() }
        server.answer = #"{"id":null,"done":1,"too_late":0,"warnings":[]}"#
        try await server.setPreferences("{}")
        #expect(server.calls.last == #"nudged_me.set_preferences {"preferences":{}}"#)
        let calls = server.calls.count
        await #expect(throws: NoJSONError.self) { try await server.setPreferences("{") }
        #expect(server.calls.count == calls, "what the user chose stays")
        try await server.clearPreferences()
        #expect(server.calls.last == #"nudged_me.set_preferences {"preferences":null}"#)
    }

    @Test func status_whenAsked_isTheServices() async throws {
        // A later server's as well.
        for status in [ServiceStatus.active, .resting, .off, ServiceStatus(rawValue: "asleep")] {
            server.answer = "\"\(status.rawValue)\""
            #expect(try await server.decisionStatus() == status)
        }
        server.answer = "7"
        await #expect(throws: ServerAnswerError.self) { try await server.decisionStatus() }
    }

    @Test(arguments: ["", "1", "{}", "<html>"]) func answer_whenNotTheFunctions_isAnError(answer: String) async {
        server.answer = answer
        let error = await #expect(throws: ServerAnswerError.self) { try await server.sendTest() }
        #expect(error?.description.hasPrefix("nudged_me.send_test: the answer is not ") == true)
        await #expect(throws: ServerAnswerError.self) { try await server.unregisterDevice(Self.token) }
    }

    @Test func call_whenItFails_throwsTheClientsError() async {
        server.answer = nil
        await #expect(throws: RecordingServer.Failure.self) { try await server.sendTest() }
    }

    /// A client's own encoder gives what `text` is.
    @Test(arguments: [
        "null", "true", "17", "1.5", "\"é\"", "[]", "{}", "[1,[null,\"a\"],{\"b\":false}]",
        "{\"token\":\"ab\",\"deep\":{\"list\":[1,2.5,null,{}]}}",
    ]) func parameters_whenEncoded_areTheSameJSON(text: String) throws {
        let json = try #require(EncodableJSON(parsing: text))
        #expect(json.text == text)
        let encoded = String(decoding: try JSONEncoder().encode(json), as: UTF8.self)
        #expect(try JSONValue(parsing: encoded) == JSONValue(parsing: text))
    }

    /// PostgREST finds a function by the names of its arguments. So the kit's names must be those of the SQL.
    @Test func parameters_whenSent_areArgumentsOfTheFunctions() async throws {
        var text = ""
        for name in try FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/sql")
        where name.hasSuffix(".sql") { text += try Checkout.text("sql/\(name)") }
        let id = NudgeID(rawValue: "a")
        let subject = try #require(Subject(type: "task", id: "7"))
        server.answer = nil
        _ = try? await server.registerDevice(
            DeviceRegistration(
                token: Self.token,
                platform: .ios,
                environment: .sandbox,
                topic: "a.b",
                timezone: "Europe/Paris",
                locale: "fr",
                surface: .widgets
            )
        )
        _ = try? await server.unregisterDevice(Self.token)
        _ = try? await server.sendTest(title: "a", body: "b")
        _ = try? await server.seen()
        _ = try? await server.opened(id)
        _ = try? await server.feedback(id, isHelpful: true)
        _ = try? await server.preferences()
        _ = try? await server.clearPreferences()
        _ = try? await server.decisionStatus()
        let reminder = OwnReminder(
            subject: subject,
            title: "a",
            dueAt: Date(),
            dueLocal: "2040-05-07T10:00:00",
            recurrence: "FREQ=DAILY",
            timezone: "Europe/Paris",
            apns: EncodableJSON(parsing: "{}")
        )
        _ = try? await server.setReminder(reminder)
        _ = try? await server.snoozeReminder(id, until: Date())
        _ = try? await server.cancel(id)
        _ = try? await server.cancelReminders(of: subject)
        _ = try? await server.cancelMessages(category: "a", threadID: "c", dedupePrefix: "b")
        _ = try? await server.preview(title: "a", body: "b", urgent: true)
        server.answer = Self.page
        let rows = try await (
            server.reminders().last, server.waiting().last, server.history().last, server.export().last
        )
        let first = server.calls.suffix(4)
        _ = try await server.reminders(after: rows.0)
        _ = try await server.waiting(after: rows.1)
        _ = try await server.history(of: id, after: rows.2)
        _ = try await server.export(after: rows.3)
        #expect(server.calls.count == 23)
        for call in server.calls where !first.contains(call) {
            let name = try #require(call.split(separator: " ").first)
            let named = try #require(arguments(of: String(name), in: text), "no function \(name)")
            guard case .object(let object) = try JSONValue(parsing: String(call.dropFirst(name.count + 1))) else {
                Issue.record("\(call)")
                continue
            }
            #expect(object.members.map(\.key) == named, "\(name)")
        }
    }

    /// A function's arguments, as the migrations make it: by its own name, or from another function (nudged.make_calls).
    private func arguments(of name: String, in text: String) -> [String]? {
        if let start = text.range(of: "create function \(name)(")?.upperBound {
            // What the function answers is no argument of it.
            return text[start...].prefix { $0 != ")" }.split(separator: ",").compactMap { argument in
                argument.split(whereSeparator: \.isWhitespace).first.map { String($0) }
            }.filter { $0 != "out" }
        }
        let call = name.drop { $0 != "." }.dropFirst()
        guard let start = text.range(of: "make_calls('\(call)', '")?.upperBound,
            let end = text.range(of: ");", range: start..<text.endIndex)?.lowerBound,
            let all = arguments(of: String(text[start...].prefix { $0 != "'" }), in: text)
        else { return nil }
        // The call's name and the user are no arguments of it. Single names at the end are those that it leaves out.
        let leftOut = text[start..<end].matches(of: /,\s*'([a-z_]+)'/).map { String($0.1) }
        return all.dropFirst(2).filter { !leftOut.contains($0) }
    }
}
