import Dispatch
import Glibc
import Synchronization

/// A program run by posix_spawn: reaped as soon as it ends, signalled only while it is ours to signal (so never another
/// process that got its number). It inherits no descriptor but the three standard ones, and no blocked signal.
public final class ChildProcess: Sendable {
    /// Where a standard stream goes.
    public enum Stream: Sendable {
        /// `/dev/null`
        case null
        /// As this process has it.
        case inherited
        /// A file: read for input; created where absent and appended to for output.
        case file(String)
        /// Output only: kept in memory, for `output` and `errorOutput`.
        case captured
        /// An open descriptor, which stays the caller's.
        case descriptor(Int32)
    }

    /// How a program ended.
    public enum Exit: Sendable, Equatable {
        /// It returned this status.
        case code(Int32)
        /// This signal ended it.
        case signal(Int32)
    }

    private struct State {
        var exit: Exit?
        var waiters: [CheckedContinuation<Exit, Never>] = []
    }

    /// Its number; not to be signalled but by `signal`.
    public let id: Int32
    private let state = Mutex(State())
    private let ended = DispatchGroup()
    private let standardOutput = CapturedStream()
    private let standardError = CapturedStream()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: the program (its path, or a name looked up in PATH) and its arguments.
    ///   - environment: the whole environment; nil: this process's.
    ///   - directory: its working directory; nil: this process's.
    ///   - ownSession: makes it the leader of a session, so that Ctrl-C in our terminal doesn't reach it.
    public init(
        _ arguments: [String],
        environment: [String: String]? = nil,
        directory: String? = nil,
        input: Stream = .null,
        output: Stream = .inherited,
        error: Stream = .inherited,
        ownSession: Bool = false
    ) throws(LocalPostgresError) {
        var plan = SpawnPlan(arguments, environment, directory, ownSession: ownSession)
        id = try plan.spawn(
            input: input,
            output: (output, standardOutput),
            error: (error, standardError)
        )
        ended.enter()
        // A thread of its own waits: pidfds would need a poll loop, SIGCHLD belongs to the program.
        DispatchQueue(label: "nudged.child").async { self.awaitEnd() }
    }

    /// What it wrote to a captured standard output so far; all of it once `wait` has returned.
    public var output: String { standardOutput.text }

    /// What it wrote to a captured standard error so far.
    public var errorOutput: String { standardError.text }

    /// How it ended; nil while it runs.
    public var exit: Exit? { state.withLock { $0.exit } }

    /// Sends a signal; false where the process has ended.
    @discardableResult
    public func signal(_ number: Int32) -> Bool {
        // Under the lock: `awaitEnd` reaps under it too, so the number is still this process's.
        state.withLock { $0.exit == nil && kill(id, number) == 0 }
    }

    /// Blocks until the process has ended, its captured output read to the end; nil where the time was up first.
    public func wait(_ time: Duration) -> Exit? {
        let limit = DispatchTime.now() + time / .seconds(1)
        guard ended.wait(timeout: limit) == .success else { return nil }
        // A grandchild can hold the pipe open; it doesn't hold us.
        standardOutput.wait(until: limit)
        standardError.wait(until: limit)
        return exit
    }

    /// Suspends until the process has ended.
    public func ended() async -> Exit {
        await withCheckedContinuation { continuation in
            let known: Exit? = state.withLock { state in
                if state.exit == nil { state.waiters.append(continuation) }
                return state.exit
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Blocks until the captured output (standard output or error) satisfies the condition; false where the time was up, or
    /// the program closed both, first.
    public func waitForOutput(_ time: Duration, where condition: @Sendable (_ output: String) -> Bool) -> Bool {
        let limit = DispatchTime.now() + time / .seconds(1)
        var seen = -1
        while true {
            let (length, isOpen) = CapturedStream.state(standardOutput, standardError)
            if length != seen, condition(output) || condition(errorOutput) { return true }
            seen = length
            guard isOpen, DispatchTime.now() < limit else { return false }
            CapturedStream.waitForMore(standardOutput, standardError, than: length, until: limit)
        }
    }

    /// Ends it: `number` first (15 is SIGTERM), SIGKILL where it is still there after `time`. Blocks; idempotent.
    @discardableResult
    public func end(_ number: Int32 = 15, within time: Duration = .seconds(5)) -> Exit? {
        signal(number)
        if let exit = wait(time) { return exit }
        signal(SIGKILL)
        return wait(.seconds(5))
    }

    private func awaitEnd() {
        var info = siginfo_t()
        // WNOWAIT: the number stays ours until we reap under the lock.
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (exit, waiters) = state.withLock { state -> (Exit, [CheckedContinuation<Exit, Never>]) in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            // WIFEXITED and its like are macros that Swift doesn't import: the low seven bits are the signal.
            let number = status & 0x7F
            let exit = number == 0 ? Exit.code((status >> 8) & 0xFF) : .signal(number)
            state.exit = exit
            defer { state.waiters = [] }
            return (exit, state.waiters)
        }
        ended.leave()
        for waiter in waiters { waiter.resume(returning: exit) }
    }
}

extension ChildProcess {
    /// Runs a program to its end.
    ///
    /// - Returns: what it wrote to standard output.
    /// - Throws: `programFailed` with what it wrote to standard error; `timedOut`, after which it was killed.
    @discardableResult
    public static func run(
        _ arguments: [String],
        environment: [String: String]? = nil,
        directory: String? = nil,
        within time: Duration = .seconds(60)
    ) throws(LocalPostgresError) -> String {
        let child = try ChildProcess(
            arguments,
            environment: environment,
            directory: directory,
            output: .captured,
            error: .captured
        )
        guard let exit = child.wait(time) else {
            child.end(SIGKILL)
            throw LocalPostgresError(.timedOut, arguments.joined(separator: " "))
        }
        guard exit == .code(0) else {
            let words = "\(arguments.joined(separator: " ")): \(exit)\n\(child.output)\(child.errorOutput)"
            throw LocalPostgresError(.programFailed, words)
        }
        return child.output
    }
}
