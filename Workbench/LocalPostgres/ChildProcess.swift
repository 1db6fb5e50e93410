import CLinux
import Dispatch
import Glibc
import Synchronization

/// A program run by posix_spawn. It is reaped when it ends, and only signalled before that, so a signal never hits
/// another process with the same number. It inherits only the three standard descriptors, and no blocked signal.
package final class ChildProcess: Sendable {
    package enum Stream: Sendable {
        case null
        case inherited
        /// A file: read for input; created if absent and appended to for output.
        case file(String)
        /// Only for output: kept in a file in memory, for `output` and `errorOutput`.
        case captured
        case descriptor(Int32)
    }

    package enum Exit: Sendable, Equatable {
        case code(Int32)
        case signal(Int32)
    }

    /// Its process number. Signal it only by `signal`.
    package let id: Int32
    private let state = Mutex<Exit?>(nil)
    private let ending = DispatchGroup()
    private let standardOutput: CapturedStream
    private let standardError: CapturedStream

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: the program (a path, or a name in PATH) and its arguments.
    ///   - environment: the whole environment; nil takes this process's.
    ///   - directory: its working directory; nil takes this process's.
    ///   - ownSession: makes it the leader of a new session, so that Ctrl-C in our terminal doesn't reach it.
    package init(
        _ arguments: [String],
        environment: [String: String]? = nil,
        directory: String? = nil,
        input: Stream = .null,
        output: Stream = .inherited,
        error: Stream = .inherited,
        ownSession: Bool = false
    ) throws(LocalPostgresError) {
        (standardOutput, standardError) = (CapturedStream(output), CapturedStream(error))
        let plan = SpawnPlan(arguments: arguments, environment: environment, folder: directory, ownSession: ownSession)
        id = try plan.spawn([(input, -1), (output, standardOutput.file), (error, standardError.file)])
        ending.enter()
        // A thread waits for its end. A pidfd would need a poll loop, and SIGCHLD belongs to the program.
        DispatchQueue(label: "nudged.child").async { self.awaitEnd() }
    }

    /// Its captured standard output so far.
    package var output: String { standardOutput.text }

    package var errorOutput: String { standardError.text }

    /// How it ended; nil while it runs.
    package var exit: Exit? { state.withLock { $0 } }

    /// Sends a signal. False if the process has ended.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        // Under the lock, because `awaitEnd` reaps under it. So the number is still this process's.
        state.withLock { $0 == nil && kill(id, number) == 0 }
    }

    /// Blocks until the process has ended. Nil if the time is up first.
    package func wait(_ time: Duration) -> Exit? {
        _ = ending.wait(timeout: .now() + time / .seconds(1))
        return exit
    }

    package func ended() async -> Exit {
        await withCheckedContinuation { continuation in
            // The exit is set before the group is left.
            ending.notify(queue: DispatchQueue(label: "nudged.child.end")) {
                if let exit = self.exit { continuation.resume(returning: exit) }
            }
        }
    }

    /// Blocks until the captured output (standard output or error) meets the condition. False if the time is up or the
    /// program has ended.
    package func waitForOutput(_ time: Duration, where condition: @Sendable (_ output: String) -> Bool) -> Bool {
        let limit = ContinuousClock.now + time
        while true {
            // Read before the output, because the last of it may come with the end.
            let hasEnded = exit != nil
            if condition(output) || condition(errorOutput) { return true }
            guard !hasEnded, ContinuousClock.now < limit else { return false }
            // This is also the pause.
            _ = wait(.milliseconds(5))
        }
    }

    /// Ends it by the signal `number` (15 is SIGTERM), and by SIGKILL if it still runs after `time`. Blocks. May be
    /// called again.
    @discardableResult
    package func end(_ number: Int32 = 15, within time: Duration = .seconds(5)) -> Exit? {
        signal(number)
        if let exit = wait(time) { return exit }
        signal(SIGKILL)
        return wait(.seconds(5))
    }

    private func awaitEnd() {
        var info = siginfo_t()
        // WNOWAIT keeps the number ours until we reap it under the lock.
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { exit in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            // Swift doesn't import WIFEXITED and its like. The low seven bits are the signal.
            let number = status & 0x7F
            exit = number == 0 ? Exit.code((status >> 8) & 0xFF) : .signal(number)
        }
        ending.leave()
    }
}

extension ChildProcess {
    /// Runs a program to its end.
    ///
    /// - Returns: what it wrote to standard output.
    /// - Throws: `programFailed` with its standard output and error; `timedOut` after it was killed.
    @discardableResult
    package static func run(
        _ arguments: [String],
        environment: [String: String]? = nil,
        directory: String? = nil,
        input: Stream = .null,
        within time: Duration = .seconds(600)
    ) throws(LocalPostgresError) -> String {
        let child = try ChildProcess(
            arguments,
            environment: environment,
            directory: directory,
            input: input,
            output: .captured,
            error: .captured
        )
        guard let exit = child.wait(time) else {
            child.end(SIGKILL)
            throw LocalPostgresError(.timedOut, arguments.joined(separator: " "))
        }
        guard exit == .code(0) else {
            let text = "\(arguments.joined(separator: " ")): \(exit)\n\(child.output)\(child.errorOutput)"
            throw LocalPostgresError(.programFailed, text)
        }
        return child.output
    }
}

/// What a child wrote to one of its streams: a file in memory, so that the child never waits for us.
final class CapturedStream: Sendable {
    /// -1 if the stream is not captured.
    let file: Int32

    init(_ stream: ChildProcess.Stream) {
        guard case .captured = stream else {
            file = -1
            return
        }
        // 1 is MFD_CLOEXEC. O_APPEND: if a child truncates /dev/stderr, later lines still go to the end.
        file = nudged_memfd_create("nudged-child", 1)
        if file >= 0 { _ = fcntl(file, F_SETFL, O_APPEND) }
    }

    deinit { close(file) }

    var text: String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(file, &buffer, buffer.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
