import Foundation
import JSON
import NudgedKit
import Testing

@MainActor
struct NudgedServerTests {
    private static let token = DeviceToken(repeatElement(0xAB, count: 32))
    private static let hexadecimal = String(repeating: "ab", count: 32)
    private let server = RecordingServer()

    @Test func registration_whenSent_namesWhatIsKnown() async throws {
        try await server.registerDevice(
            DeviceRegistration(token: Self.token, platform: .ipados, environment: .sandbox, topic: "com.example.app")
        )
        try await server.registerDevice(DeviceRegistration(token: Self.token, platform: .macos, environment: nil))
        let (call, token) = ("nudged_me.register_device", #""token":"\#(Self.hexadecimal)""#)
        #expect(
            server.calls == [
                #"\#(call) {\#(token),"platform":"ipados","environment":"sandbox","topic":"com.example.app"}"#,
                #"\#(call) {\#(token),"platform":"macos"}"#,
            ]
        )
    }

    @Test func device_whenRemoved_answersWhetherItWasTheUsers() async throws {
        server.answer = #"{"id":null,"done":1,"too_late":0,"warnings":[]}"#
        #expect(try await server.unregisterDevice(Self.token).done == 1)
        server.answer = #" {"id":null,"done":0,"too_late":0,"warnings":[]}\#n"#
        #expect(try await server.unregisterDevice(Self.token).done == 0)
        #expect(server.calls.last == #"nudged_me.unregister_device {"token":"\#(Self.hexadecimal)"}"#)
    }

    @Test func test_whenSent_answersTheMessage() async throws {
        server.answer = #"{"id":"0f4a1c3e-9b7d-4c2a-8e5f-001122334455","done":1,"too_late":0,"warnings":[]}"#
        #expect(try await server.sendTest().id == "0f4a1c3e-9b7d-4c2a-8e5f-001122334455")
        try await server.sendTest(title: "Ann", body: "Hello.")
        #expect(
            server.calls == ["nudged_me.send_test {}", #"nudged_me.send_test {"title":"Ann","body":"Hello."}"#]
        )
    }

    @Test func activity_isReportedByTheNudge() async throws {
        #expect(try await server.seen().done == 1)
        try await server.opened("2026-11-20")
        try await server.feedback("2026-11-20", isHelpful: false)
        #expect(
            server.calls == [
                "nudged_me.seen {}", #"nudged_me.opened {"id":"2026-11-20"}"#,
                #"nudged_me.feedback {"id":"2026-11-20","helpful":false}"#,
            ]
        )
    }

    @Test func reminder_whenSet_answersItsID() async throws {
        server.answer = #"{"id":"0f4a1c3e-9b7d-4c2a-8e5f-001122334455","done":1,"too_late":0,"warnings":["late"]}"#
        let subject = try #require(Subject(type: "task", id: "7"))
        let set = try await server.setReminder(
            OwnReminder(subject: subject, title: "Water", dueLocal: "2040-05-07T09:00:00")
        )
        #expect(set.warnings == ["late"])
        let id = try #require(set.id)
        #expect(id == "0f4a1c3e-9b7d-4c2a-8e5f-001122334455")
        let arguments =
            #""subject_type":"task","subject_id":"7","title":"Water","body":"","due_local":"2040-05-07T09:00:00""#
        #expect(server.calls == ["nudged_me.set_reminder {\(arguments)}"])
        #expect(try await server.cancel(id) == set)
        #expect(server.calls.last == #"nudged_me.cancel {"id":"\#(id)"}"#)
        #expect(try await server.snoozeReminder(id, until: "2040-05-07T10:00:00Z") == set)
        server.answer = #"{"id":null,"done":1,"too_late":2,"warnings":[]}"#
        let cancelled = try await server.cancelReminders()
        #expect(cancelled.id == nil && cancelled.done == 1 && cancelled.tooLate == 2)
        #expect(server.calls.last == "nudged_me.cancel_reminders {}")
        server.answer = #"[{"place":"a"}]"#
        #expect(try await server.reminders(most: 2) == #"[{"place":"a"}]"#)
        #expect(server.calls.last == #"nudged_me.list_reminders {"most":2}"#)
    }

    @Test func messages_whenCancelled_areNamed() async throws {
        server.answer = #"{"id":null,"done":2,"too_late":1,"warnings":[]}"#
        #expect(try await server.cancelMessages(dedupePrefix: "chat-").done == 2)
        try await server.cancelMessages(category: "chat", threadID: "ann")
        try await server.cancelMessages()
        let call = "nudged_me.cancel_messages"
        #expect(
            server.calls == [
                #"\#(call) {"dedupe_prefix":"chat-"}"#, #"\#(call) {"category":"chat","thread_id":"ann"}"#,
                "\(call) {}",
            ]
        )
    }

    @Test func pages_whenRead_areTheArrays() async throws {
        // A number that no Double holds.
        let page = #"[{"place":"a", "content":{"id":12345678901234567890}}]"#
        server.answer = page
        #expect(try await server.waiting() == page)
        #expect(try await server.history(of: "1", after: "a") == page)
        #expect(try await server.history(after: "a", most: 2) == page)
        #expect(try await server.export() == page)
        #expect(
            server.calls == [
                #"nudged_me.waiting {"most":100}"#, #"nudged_me.history {"id":"1","after":"a","most":100}"#,
                #"nudged_me.history {"after":"a","most":2}"#, #"nudged_me.export {"most":100}"#,
            ]
        )
        server.answer = "{}"
        let error = await #expect(throws: ServerAnswerError.self) { try await server.export() }
        #expect(error?.description == "nudged_me.export: the answer is not an array")
    }

    @Test func preview_whenAsked_isAnsweredLater() async throws {
        server.answer = "null"
        #expect(try await server.preview(title: "Ann", body: "Hello.") == nil)
        server.answer = #"{"action":"send"}"#
        #expect(try await server.preview(title: "Ann", body: "Hello.") == #"{"action":"send"}"#)
        #expect(server.calls.last == #"nudged_me.preview {"title":"Ann","body":"Hello.","urgent":false}"#)
        server.answer = "[]"
        await #expect(throws: ServerAnswerError.self) { try await server.preview(title: "Ann", body: "Hello.") }
    }

    @Test func preferences_whenReadAndWritten_areTheJSON() async throws {
        server.answer = #"{"frequency":"daily"}"#
        #expect(try await server.preferences() == #"{"frequency":"daily"}"#)
        server.answer = ""
        #expect(try await server.preferences() == nil)
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
        for status in ServiceStatus.allCases {
            server.answer = "\"\(status.rawValue)\""
            #expect(try await server.decisionStatus() == status)
        }
        server.answer = #""asleep""#
        await #expect(throws: ServerAnswerError.self) { try await server.decisionStatus() }
    }

    @Test(arguments: ["", "1", "{}", "<html>"])
    func answer_whenNotTheFunctions_isAnError(answer: String) async {
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
    ])
    func parameters_whenEncoded_areTheSameJSON(text: String) throws {
        let json = try #require(EncodableJSON(parsing: text))
        #expect(json.text == text)
        let encoded = String(decoding: try JSONEncoder().encode(json), as: UTF8.self)
        #expect(try JSONValue(parsing: encoded) == JSONValue(parsing: text))
    }

    /// PostgREST finds a function by the names of its arguments. So the kit's names must be those of the SQL.
    @Test func parameters_whenSent_areArgumentsOfTheFunctions() async throws {
        let sql = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../sql")
        var text = ""
        for name in try FileManager.default.contentsOfDirectory(atPath: sql.path) where name.hasSuffix(".sql") {
            text += try String(contentsOf: sql.appending(path: name), encoding: .utf8)
        }
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
        _ = try? await server.opened("a")
        _ = try? await server.feedback("a", isHelpful: true)
        _ = try? await server.preferences()
        _ = try? await server.clearPreferences()
        _ = try? await server.decisionStatus()
        let subject = try #require(Subject(type: "task", id: "7"))
        let reminder = OwnReminder(
            subject: subject,
            title: "a",
            dueAt: "2040-05-07T10:00:00Z",
            dueLocal: "2040-05-07T10:00:00",
            recurrence: "FREQ=DAILY",
            timezone: "Europe/Paris",
            apns: EncodableJSON(parsing: "{}")
        )
        _ = try? await server.setReminder(reminder)
        _ = try? await server.reminders(after: Self.hexadecimal)
        _ = try? await server.snoozeReminder("a", until: "b")
        _ = try? await server.cancel("a")
        _ = try? await server.cancelReminders(of: subject)
        _ = try? await server.cancelMessages(category: "a", threadID: "c", dedupePrefix: "b")
        _ = try? await server.waiting(after: "a")
        _ = try? await server.history(of: "a", after: "b")
        _ = try? await server.export(after: "a")
        _ = try? await server.preview(title: "a", body: "b", urgent: true)
        #expect(server.calls.count == 19)
        for call in server.calls {
            let name = try #require(call.split(separator: " ").first)
            let start = try #require(text.range(of: "create function \(name)("), "no function \(name)")
            let rest = text[start.upperBound...]
            let end = try #require(rest.firstIndex(of: ")"))
            // What the function answers is no argument of it.
            let arguments = rest[..<end].split(separator: ",").compactMap { argument in
                argument.split(whereSeparator: { $0.isWhitespace }).first.map { String($0) }
            }.filter { $0 != "out" }
            guard case .object(let object) = try JSONValue(parsing: String(call.dropFirst(name.count + 1))) else {
                Issue.record("\(call)")
                continue
            }
            #expect(object.members.map(\.key) == arguments, "\(name)")
        }
    }
}
