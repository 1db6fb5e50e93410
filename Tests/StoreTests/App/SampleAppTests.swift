import Foundation
import NudgedKit
import Supabase
import TestSupport
import Testing

@testable import Core
@testable import NudgedSample

/// The sample app's own code, and NudgedKit's calls, on a migrated database. Only the screen and the network are played.
@Suite(.ownThreads) @MainActor struct SampleAppTests {
    /// Supabase: its sign-in, and PostgREST with its statements.
    private struct Project: SupabaseProject {
        let fixture: F
        let user: UUID

        func signInAnonymously() -> UUID { user }

        private func answer(_ statement: String) throws -> Data {
            let text = try fixture.sql(
                """
                set session authorization authenticator; set timezone = 'Asia/Kolkata';
                set request.jwt.claims = '{"sub": "\(user.uuidString.lowercased())", "role": "authenticated"}';
                set role authenticated; \(statement)
                """
            )
            return Data(text.utf8)
        }

        private func keys(_ object: Data) throws -> [String] {
            try #require(try JSONSerialization.jsonObject(with: object) as? [String: Any]).keys.sorted()
        }

        func rpc(schema: String, function: String, parameters: Data) throws -> Data {
            let keys = try keys(parameters)
            let found = try fixture.sql(
                """
                select proretset, string_agg(format('%I %s', a.name, format_type(a.type, null)), ', ') filter (where a.name = any ('{\(keys.joined(separator: ","))}'))
                from pg_proc left join unnest(proargnames, proargtypes::oid[]) as a (name, type) on a.type is not null
                where pronamespace = '\(schema)'::regnamespace and proname = '\(function)' group by oid, proretset
                """
            ).split(separator: "|", omittingEmptySubsequences: false)
            try #require(found.count == 2, "no function \(function)")
            let body = String(decoding: parameters, as: UTF8.self)
            let arguments = keys.isEmpty ? "" : "json_to_record($json$\(body)$json$) as a (\(found[1])),"
            let call = "\(schema).\(function)(\(keys.map { "\($0) => a.\($0)" }.joined(separator: ", ")))"
            let shape = found[0] == "t" ? "coalesce(json_agg(r), '[]')" : "to_json(r)"
            return try answer("select \(shape) from \(arguments) \(call) r")
        }

        func upsert(table: String, row: Data, onConflict: String) throws -> Data {
            let keys = try keys(row)
            let columns = keys.joined(separator: ", ")
            return try answer(
                """
                insert into \(table) (\(columns)) select \(columns)
                from json_populate_record(null::\(table), $json$\(String(decoding: row, as: UTF8.self))$json$)
                on conflict (\(onConflict)) do update set \(keys.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
                """
            )
        }
    }

    /// A phone that allows notifications.
    private final class Phone: NotificationSystem {
        var defaults: [String: String] = [:]
        let now: Int64 = 0

        func permission() async -> SystemPermission { .allowed }
        func prompt() async -> PermissionEvent { .answered(granted: true) }
        func openSettings() async {}
        func registerToken() {}
        func removeDelivered() {}
        func removeDelivered(_ identifiers: [String]) {}
        func delivered() async -> [(identifier: String, payload: Payload)] { [] }
        func removeBadge() {}
        func event(of error: any Error) -> PermissionEvent { .failed("\(error)") }
        func stored(_ key: String) -> String? { defaults[key] }
        func store(_ key: String, _ text: String) { defaults[key] = text }
        func registration(of token: DeviceToken) -> DeviceRegistration {
            .init(token: token, platform: .ios, environment: .sandbox, timezone: "Europe/Paris", locale: "fr")
        }
    }

    private func onSupabase(_ body: @MainActor (F, Account) async throws -> Void) async throws {
        let fixture = try await F.onSupabase()
        let project = Project(fixture: fixture, user: F.user(1))
        try await SupabaseClient.$project.withValue(project) { try await body(fixture, Account()) }
    }

    @Test func sample_fromSignInToSignOut_keepsTheUsersRows() async throws {
        try await onSupabase { fixture, account in
            let nudges = Nudges(system: Phone())
            var failures: [String] = []
            nudges.serverFailed = { failures.append("\($0)") }
            await nudges.started()
            await nudges.received(DeviceToken(repeatElement(0xAB, count: 32)))
            let user = try await account.signIn()
            await nudges.signedIn(as: user, server: account.server) { _ in }
            #expect(user.rawValue == F.user(1).uuidString.lowercased())
            let devices = "select user_id, environment from public.push_tokens"
            #expect(try fixture.sql(devices) == "\(user.rawValue)|sandbox")
            try await account.optIn()
            let profile = """
                select timezone, first_session_complete, notification_preferences ->> 'check_ins_enabled' from public.context_profiles
                """
            #expect(try fixture.sql(profile) == "Europe/Paris|t|true")
            #expect(try Preferences(parsing: await account.server.preferences()).checkInsEnabled == true)
            // The next start finds the session.
            #expect(try await account.signIn() == user)
            #expect(try fixture.sql(profile) == "Europe/Paris|t|true")
            await nudges.signOut()
            try await account.signOut()
            #expect(try fixture.sql(devices).isEmpty && failures.isEmpty, "\(failures)")
        }
    }

    @Test func kit_whenItReads_hasTheDatabasesRows() async throws {
        try await onSupabase { fixture, account in
            let user = try await account.signIn()
            let server = account.server
            let task = try #require(Subject(type: "task", id: "7"))
            let due = Date(timeIntervalSince1970: 2_220_000_000)
            let set = try await server.setReminder(OwnReminder(subject: task, title: "Water", dueAt: due))
            let id = try #require(set.id)
            let other = try #require(Subject(type: "task", id: "8"))
            let wall = OwnReminder(subject: other, title: "b", dueLocal: "2040-05-07T09:00:00")
            #expect(try await server.setReminder(wall).warnings.map(\.code) == ["no_timezone"])
            let reminders = try await server.reminders()
            let reminder = try #require(reminders.first { $0.id == id })
            #expect(reminder.subject == task && reminder.author == user && reminder.dueAt == due)
            #expect(reminder.audience == "me")
            #expect(reminders.first { $0.id != id }?.dueLocal == "2040-05-07T09:00:00")
            #expect(try await server.reminders(after: server.reminders(most: 1).last).count == 1)
            #expect(try await server.snoozeReminder(id, until: due + 60).done == 1)
            #expect(try await server.reminders().contains { $0.dueAt == due + 60 })

            let more = "data => '{\"a\": 1}', urgent => true, expires_at => '2040-05-07 09:00:00+02'"
            let sent = try fixture.sql("select id from nudged_api.send(\(F.quoted(1)), 'Ann', 'Hello', \(more))")
            let message = NudgeID(rawValue: sent)
            let waiting = try await server.waiting()
            let row = try #require(waiting.first { $0.id == message })
            #expect(waiting.count == 3)
            #expect(row.isUrgent && row.kind == .message)
            #expect(row.expiresAt == Date(timeIntervalSince1970: 2_219_986_800))
            #expect(abs(try #require(row.since).timeIntervalSinceNow) < 600)
            #expect(try await server.history(of: message).map(\.outcome) == [.waiting])
            #expect(try await server.cancel(message).done == 1)
            let ended = try #require(try await server.history(of: message).first)
            #expect(ended.outcome == .dropped && ended.reason == "cancelled" && ended.id == message)
            #expect(abs(try #require(ended.at).timeIntervalSinceNow) < 600)
            #expect(try await server.history(after: server.history(most: 1).last).isEmpty)

            var sources: Set<String> = []
            var last: ExportEntry?
            // More pages than there are rows.
            for _ in 1...50 {
                last = try await server.export(after: last, most: 1).last
                guard let last else { break }
                sources.insert(last.source)
            }
            #expect(last == nil)
            #expect(sources.isSuperset(of: ["profile", "reminder", "occurrence", "delivery", "own_call"]))
            #expect(try await server.decisionStatus() == .off)
            #expect(try await server.preview(title: "Ann", body: "Hello") == nil)
            #expect(try await server.opened(NudgeID(rawValue: "2026-11-20")).done == 0)
            #expect(try await server.feedback(message, isHelpful: true).done == 0)
            #expect(try await server.cancelMessages().done == 0)
            #expect(try await server.cancelReminders(of: task).done == 1)
            #expect(try await server.clearPreferences().done == 1)
        }
    }
}
