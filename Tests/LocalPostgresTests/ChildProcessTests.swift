import Glibc
import LocalPostgres
import TestSupport
import Testing

@Suite(.ownThreads) struct ChildProcessTests {
    @Test func child_whenItEnds_saysHowAndIsReaped() async throws {
        let child = try ChildProcess(
            ["sh", "-c", "echo out; echo err >&2; exit 7"],
            output: .captured,
            error: .captured
        )
        #expect(child.wait(.seconds(20)) == .code(7))
        #expect(child.output == "out\n")
        #expect(child.errorOutput == "err\n")
        #expect(await child.ended() == .code(7))
        #expect(child.signal(SIGTERM) == false)
        var status: Int32 = 0
        #expect(waitpid(child.id, &status, 0) == -1)
    }

    @Test func child_whenItWritesMuch_doesNotBlock() throws {
        let text = try ChildProcess.run(["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x"])
        #expect(text.utf8.count == 3_000_000)
    }

    @Test func child_whenSignalled_saysTheSignal() throws {
        let child = try ChildProcess(
            ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"],
            output: .captured
        )
        #expect(child.waitForOutput(.seconds(20)) { $0.contains("ready") })
        #expect(child.wait(.milliseconds(1)) == nil)
        #expect(child.end(SIGTERM, within: .milliseconds(50)) == .signal(SIGKILL))
    }

    @Test func output_whenChildEndsWithoutIt_isFalseBeforeTheDeadline() throws {
        let child = try ChildProcess(["true"], output: .captured)
        #expect(child.waitForOutput(.seconds(3600)) { $0.contains("never") } == false)
    }

    @Test func program_whenMissing_throws() {
        #expect(throws: LocalPostgresError.self) { try ChildProcess(["/no/such/program"]) }
        #expect(throws: LocalPostgresError.self) { try ChildProcess.run(["false"]) }
    }

    @Test func child_inheritsNoOtherDescriptor() throws {
        // Not closed on exec, so only the spawn's own care keeps it out.
        let leak = open("/dev/null", O_RDONLY)
        defer { close(leak) }
        let listed = try ChildProcess.run(["sh", "-c", "ls /proc/$$/fd"])
        #expect(listed.split(separator: "\n").contains(Substring("\(leak)")) == false)
    }

    @Test func child_getsInputDirectoryAndEnvironment() throws {
        let child = try ChildProcess(
            ["sh", "-c", "pwd; echo $WORD; cat"],
            environment: ["WORD": "there", "PATH": "/usr/bin:/bin"],
            directory: "/usr",
            input: .file("/proc/self/comm"),
            output: .captured
        )
        #expect(child.wait(.seconds(20)) == .code(0))
        #expect(child.output.hasPrefix("/usr\nthere\n"))
    }
}
