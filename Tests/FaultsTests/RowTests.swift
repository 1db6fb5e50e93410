import Faults
import Glibc
import TestSupport
import Testing

/// Each row of the table of faults, small: real daemons under its fault, and the books compared. `make faults` plays all of them.
@Suite(.ownThreads) struct RowTests {
    private static let workshop = Result { try Workshop(nudged: Built.path("nudged"), reference: Built.reference) }

    private static let seed: UInt64 = {
        if let given = getenv("NUDGED_SEED").flatMap({ UInt64(String(cString: $0)) }) { return given }
        return .random(in: 1...999_999_999)
    }()

    private static let turnstile = Turnstile(4)

    private func play(_ name: String) async throws {
        await Self.turnstile.enter()
        do {
            try await playNow(name)
        } catch {
            await Self.turnstile.leave()
            throw error
        }
        await Self.turnstile.leave()
    }

    private func playNow(_ name: String) async throws {
        let fault = try #require(Fault.named(name))
        // What can't be played here is skipped, and says why: it is not green.
        if let obstacle = fault.obstacle() { try Test.cancel("\(obstacle)") }
        let run = FaultRun(try Self.workshop.get(), FaultPlan(.test, seed: Self.seed))
        var texts: [String] = []
        let row = await run.play(fault) { if !$0.passes { texts.append($0.text) } }
        print(FaultRow.line(row.cells))
        #expect(row.passes, "NUDGED_SEED=\(Self.seed)\n\(texts.joined(separator: "\n"))")
        // A row that was played and sent nothing shows nothing.
        #expect(row.accepted > 0)
    }

    @Test func killed_whenAtAFailPoint() async throws { try await play("kill-at-fail-points") }
    @Test func killed_whenAtRandomMoments() async throws { try await play("kill-at-random-moments") }
    @Test func killed_whenAtASystemCall() async throws { try await play("kill-at-system-calls") }
    @Test func daemon_whenASystemCallFails() async throws { try await play("system-call-fails") }
    @Test func daemon_whenPostgresRestarts() async throws { try await play("database-restarts") }
    @Test func outcomes_whenTheDatabaseIsAway() async throws { try await play("database-away-at-outcome") }
    @Test func daemon_whenBackendsAreTerminated() async throws { try await play("backends-terminated") }
    @Test func daemon_whenTheServerHangs() async throws { try await play("server-hangs") }
    @Test func daemon_whenTheDatabaseRefuses() async throws { try await play("database-refuses") }
    @Test func daemon_whenTheDiskIsFull() async throws { try await play("disk-full") }
    @Test func intents_whenManyAreDue_areNoWiderThanTheWire() async throws { try await play("intent-width") }
    @Test func daemons_whenSeveralRun_shareTheWork() async throws { try await play("several-daemons") }
    @Test func daemons_whenTheyComeAndGo_shareTheWork() async throws { try await play("daemons-come-and-go") }
    @Test func daemon_whenKilledWhileJoiningOrLeaving() async throws {
        try await play("killed-while-joining-or-leaving")
    }
    @Test func daemon_whenDeclaredDeadWhileItLives() async throws { try await play("declared-dead-alive") }
    @Test func daemon_whenStoppedPastItsLease_isFencedOff() async throws { try await play("stopped-past-its-lease") }
    @Test func daemons_whenVersionsDiffer() async throws { try await play("rolling-upgrade") }
    @Test func daemon_whenTheNetworkIsCut() async throws { try await play("partition") }
    @Test func daemon_whenTerminatedInMidSweep() async throws { try await play("sigterm-in-mid-sweep") }
    @Test func daemon_whenReloadedWithABadFile() async throws { try await play("sighup-with-a-bad-file") }
    @Test func daemon_whenTheClockSteps() async throws { try await play("clock-steps") }
    @Test func daemon_whenSummerTimeComesAndGoes() async throws { try await play("summer-time") }
    @Test func daemon_whenSuspendedForADay() async throws { try await play("suspended-for-a-day") }
    @Test func daemon_whenZoneFilesAreUpgraded() async throws { try await play("zone-files-upgraded") }
    @Test func daemon_whenItsLogIsGone() async throws { try await play("logs-lost") }
    @Test func messages_whenCancelledUnderKills() async throws { try await play("messages-under-fire") }
    @Test func daemon_whenFilesOrMemoryAreScarce() async throws { try await play("scarcity") }
    @Test func daemon_whenManyRowsAreBad() async throws { try await play("bad-rows") }
    @Test func daemon_whenPreferencesChangeAllTheTime() async throws { try await play("preferences-change") }
    @Test func daemon_whenRestoredFromAnOldBackup() async throws { try await play("restored-backup") }
    @Test func daemon_whenUsersAreErased() async throws { try await play("erased-users") }
    @Test func daemon_whenASynchronousStandbyIsPromoted() async throws {
        try await play("standby-promoted-synchronous")
    }
    @Test func daemon_whenAnAsynchronousStandbyIsPromoted() async throws {
        try await play("standby-promoted-asynchronous")
    }
}
