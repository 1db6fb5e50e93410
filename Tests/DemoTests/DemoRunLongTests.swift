import Glibc
import Systemd
import TestSupport
import Testing
import TimeZones

@testable import Demo
@testable import LocalPostgres

/// Demos that are interrupted, that break a promise on purpose, and days on which clocks change. One after another: each has
/// a server of its own.
@Suite(.ownThreads, .serialized) struct DemoRunLongTests {
    /// The days on which Europe's clocks go forward, and America's back.
    @Test(arguments: ["2035-03-24T20:00:00Z", "2035-11-04T00:00:00Z"])
    func demo_whenClocksChange(on start: String) async throws {
        let transcript = Transcript()
        let status = try await transcript.run(users: 1_500, seed: 7, start: start)
        #expect(status == .success, "\(transcript.text) \(transcript.complaints)")
        // Some Live Activities were updated at night, and some orders were too early for one.
        let counts = transcript.text.matches(of: /updates, (\d+)\scame|(\d+) orders? ended before/)
            .compactMap { Int($0.output.1 ?? $0.output.2 ?? "") }
        #expect(counts.count == 2 && counts.allSatisfy { $0 > 0 }, "\(transcript.text)")
    }

    /// The demo's proof is worth something only if it sees faults: each of these breaks a promise on purpose.
    private func demo(_ users: Int, rules: [String: String]? = nil, at number: Int = -1, sql: String = "") async throws
        -> (status: Systemd.ExitStatus, text: String)
    {
        let (transcript, start) = (Transcript(), "2035-01-15T00:00:00Z")
        let status = try await transcript.run(users: users, seed: 42, start: start, rules: rules) { count in
            guard count == number, let folder = transcript.folder else { return true }
            _ = try? ChildProcess.run(["psql", "-X", "-h", folder, "-U", "postgres", "-c", sql, "postgres"])
            return true
        }
        return (status, transcript.text + transcript.complaints.map { "\nCOMPLAINT \($0)" }.joined())
    }

    @Test func demo_whenTheRecordLosesAPush() async throws {
        // Head, table's head, hours: at the end of the third hour.
        let (status, text) = try await demo(
            60,
            at: 4,
            sql: """
                delete from nudged.delivery where apns_id in
                    (select apns_id from nudged.delivery where outcome = 'accepted' order by apns_id limit 1)
                """
        )
        #expect(status == .software)
        #expect(text.contains("DISAGREE") && text.contains("1 accepted but not in the database"))
    }

    @Test func demo_whenPeopleAreWoken() async throws {
        let (status, text) = try await demo(
            300,
            rules: [
                "POLICY_QUIET_HOURS": "none", "POLICY_CHECK_IN_TIME": "03:00", "POLICY_SPREAD_MINUTES": "0",
                "POLICY_QUIET_END_JITTER_MINUTES": "0",
            ]
        )
        #expect(status == .software && text.contains(" had a Live Activity that started or was heard "))
        #expect(text.contains("WOKEN: ") && text.contains("simulator and database agree"))
    }

    @Test func demo_whenLivingTokensAreDeleted() async throws {
        let (status, text) = try await demo(
            600,
            at: 1,
            sql: """
                create or replace function nudged.forget_device(
                    recipient uuid, device text, apns_environment text, apns_topic text, unregistered_at timestamptz
                ) returns boolean language sql as $$
                    with gone as (
                        delete from public.push_tokens where user_id = recipient and device_token = device returning 1
                    ) select exists (select from gone)
                $$
                """
        )
        #expect(status == .software, "\(text)")
        #expect(text.contains("WRONG: ") && text.contains("simulator and database agree"), "\(text)")
    }

    /// After the head (before the seeding), after the table's head, and in the midst of the day.
    @Test(arguments: [0, 1, 5]) func demo_whenInterrupted(at text: Int) async throws {
        let (transcript, interruption) = (Transcript(), Interruption())
        let status = try await transcript.run(users: 200, interruption) { count in
            if count == text { interruption.raise() }
            return true
        }
        #expect(status == .interrupted)
        #expect(transcript.complaints == [Interruption.signalled.description] && !transcript.text.contains("agree"))
    }

    @Test func demo_whenNobodyReads() async throws {
        let transcript = Transcript()
        let status = try await transcript.run(users: 100) { $0 < 3 }
        #expect(status == .interrupted && transcript.complaints == [Interruption.unread.description])
    }

    @Test func demo_whenTheServerDies() async throws {
        let transcript = Transcript()
        let status = try await transcript.run(users: 100) { count in
            guard count == 3, let folder = transcript.folder, let id = TextFile.read(folder + "/data/postmaster.pid")
            else { return true }
            // The demo's own private server, by its number.
            if let id = id.split(separator: "\n").first.flatMap({ Int32($0) }) { kill(id, SIGQUIT) }
            return true
        }
        // Whether the statement under way or the next attempt to connect is the first to tell.
        #expect(status == .unavailable && transcript.complaints.count == 1)
        #expect(transcript.complaints.first?.hasPrefix("the private PostgreSQL fails: ") == true)
    }

    @Test func trouble_whenTheDaemonLogsAnError() {
        #expect(TroubleLog.error(.databaseLost, "x").exitStatus == .unavailable)
        #expect(TroubleLog.error(.laneStopped, "x").exitStatus == .unavailable)
        #expect(TroubleLog.error(.ourBug, "x").exitStatus == .software)
        #expect(TroubleLog.error(.ourBug, "x").description == "x")
    }

    @Test func demo_whenPostgreSQLIsMissing() {
        let error = Demo.demoError(LocalPostgresError(.notInstalled, "no initdb: apt-get install postgresql"))
        #expect(error.exitStatus == .unavailable)
        #expect(error.description == "can't start a private PostgreSQL: no initdb: apt-get install postgresql")
    }
}
