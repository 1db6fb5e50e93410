import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// `nudged report` of a record that a real daemon wrote.
@Suite(.ownThreads) struct ReportTests {
    /// The rows of its tables, by a parser that takes no broken page.
    private func rows(_ path: String) throws -> [[String]] {
        let output = try ChildProcess.run(["python3", "\(Checkout.root)/Tests/Reference/report_rows.py", path])
        return output.split(separator: "\n").map {
            $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
    }

    private static func rounded(_ text: String) -> String {
        let count = Int(text) ?? -1
        return count == 0 ? "0" : count < 5 ? "1–4" : "\((count + 2) / 5 * 5)"
    }

    /// 60 users: 12 tokens are gone, 7 pushes are wrong, and 3 more are refused with a text that a server should not
    /// use.
    private func played() async throws -> Scene {
        let gone = Set((1...12).map { Scene.token($0) })
        let wrong = Set((13...19).map { Scene.token($0) })
        let odd = Set((20...22).map { Scene.token($0) })
        let scene = try await Scene { token, _ in
            if gone.contains(token) {
                return .answer(status: 410, reason: "Unregistered", timestamp: 1_790_000_000_000)
            }
            if wrong.contains(token) { return .answer(status: 400, reason: "PayloadEmpty") }
            return odd.contains(token) ? .answer(status: 400, reason: "planted-server-words \(token)") : nil
        }
        try scene.seedDue(60)
        let run = try await scene.once()
        try #require(run.exit == .code(0), "\(run.text)")
        // Searched for from here on: a line at the level trace may name a user.
        scene.secrets.withLock { $0 += ["planted-server-words", "00000000-0000-4000-8000", "planted-reason"] }
        return scene
    }

    @Test(arguments: [false, true]) func report_repeatsTheRecord_andNamesNobody(isRounded: Bool) async throws {
        let scene = try await played()
        // A wish list and a zone that are to be found nowhere, and a reason that a hand has written.
        try scene.sql(
            """
            update public.context_profiles set timezone = 'Pacific/Chatham', notification_preferences = notification_preferences - 'timezone' where user_id = '\(Scene.user(30))';
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
            select user_id, 'message', 'planted-key', 'planted-device', 'dropped', 'planted-reason ' || user_id, now(), user_id from public.context_profiles limit 8
            """
        )
        let path = "\(scene.folder)/report.html"
        let run = try await scene.nudged(["report", "--days", "2", "--html", path] + (isRounded ? ["--rounded"] : []))
        #expect(run.exit == .code(0) && run.output.isEmpty && run.errors.isEmpty, "\(run.text)")
        let rows = try rows(path)
        for outcome in [
            "Accepted: Apple took it|accepted", "Rejected for good|rejected", "Dropped: ended unsent|dropped",
            "Skipped: its slot passed|skipped",
        ] {
            let (text, name) = (outcome.prefix { $0 != "|" }, outcome.drop { $0 != "|" }.dropFirst())
            let count = try scene.sql("select count(*) from nudged.delivery where outcome = '\(name)'")
            let wanted = isRounded ? Self.rounded(count) : count
            #expect(rows.contains { $0.count == 3 && $0[0] == text && $0[1] == wanted }, "\(name): \(wanted)")
        }
        // Of 60 pushes, 38 were accepted. In the rounded page, 40 and 20.
        let counts = isRounded ? ["10", "5", "1–4", "10"] : ["12", "7", "3", "8"]
        let reasons = [
            ["rejected", "Unregistered"], ["rejected", "PayloadEmpty"], ["rejected", "other"], ["dropped", "other"],
        ]
        for (reason, count) in zip(reasons, counts) { #expect(rows.contains(reason + [count]), "\(reason)") }
        let tiles = try #require(rows.first)
        let shown =
            isRounded
            ? ["4067 % of attempts", "40at least one accepted push", "2033 % of attempts", "10answered 410"]
            : ["3863 % of attempts", "38at least one accepted push", "2237 % of attempts", "12answered 410"]
        #expect(Set(shown).isSubset(of: tiles), "\(tiles)")
        #expect(rows.contains(["Any kind", isRounded ? "40" : "38"]) && rows.contains(["Messages", "0"]))
        let page = try #require(TextFile.read(path))
        let hash = try scene.sql("select device_hash from nudged.delivery where outcome = 'accepted' limit 1")
        for planted in scene.secrets.withLock({ $0 }) + [
            hash, "planted", "Pacific/Chatham", "c0ffee", Scene.keyID, Scene.teamID,
        ] { #expect(!page.contains(planted), "\(planted.prefix(20)) stands on the page") }
    }

    @Test func report_whenTheRecordIsEmpty_isAPageAllTheSame() async throws {
        let scene = try await Scene()
        let run = try await scene.nudged(["report", "--html", "-"])
        #expect(run.exit == .code(0) && run.output.hasSuffix("</html>\n"), "\(run.text)")
        let path = scene.write(run.output, to: "empty.html")
        #expect(try rows(path).first?.prefix(2) == ["Accepted by Apple", "0of no attempts"])
        #expect(run.output.contains("The record has nothing for this time."))
    }

    @Test func report_whenADaemonLivesAndAKindIsPaused_showsBoth() async throws {
        let scene = try await Scene()
        let process = try scene.startFast()
        try await scene.wait(for: "count(*) > 0 from nudged.daemon", of: process)
        _ = try await scene.nudged(["pause", "message", "--reason", "planted-words"])
        let run = try await scene.nudged(["report", "--html", "-"])
        let path = scene.write(run.output, to: "alive.html")
        let row = try rows(path).first { $0.count == 5 && $0[0] == "1" && $0[1] == "alive" }
        #expect(row?[4].hasPrefix("sandbox \(Scene.topic), not Apple's server: ") == true)
        #expect(run.output.contains(": messages (nudged resume") && !run.output.contains("planted-words"))
        try await scene.stop(process)
    }

    @Test func report_whenItCanNotBeWritten_saysWhy() async throws {
        let scene = try await Scene()
        let full = ["sh", "-c", "exec \(Scene.binary) report --html - > /dev/full"]
        let process = try ChildProcess(keeping: full, scene.environment())
        try await scene.finish(process).ends(74, errors: "No space left on device")
    }

    @Test(.enabled(if: getuid() == 0)) func report_whenTheDiskIsFull_keepsTheOldOne() async throws {
        let scene = try await Scene()
        let script = """
            echo old > $small/report.html
            status=0
            \(Scene.binary) report --html $small/report.html || status=$?
            cat $small/report.html
            ls -A $small
            exit $status
            """
        let run = try await scene.onSmallDisk("size=8k", scene.environment(), script)
        run.ends(74, errors: "No space left on device")
        #expect(run.output == "old\nreport.html\n", "\(run.text)")
    }
}
