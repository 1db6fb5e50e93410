import Dispatch
import Glibc
import Synchronization

/// A program run by posix_spawn. It is reaped when it ends, and only signalled before that, so a signal never hits
/// another process with the same number. It inherits only the three standard descriptors, and no blocked signal.
public final class ChildProcess: Sendable {
    /// The source or target of a standard stream.
    public enum Stream: Sendable {
        /// `/dev/null`.
        case null
        /// This process's own stream.
        case inherited
        /// A file: read for input; created if absent and appended to for output.
        case file(String)
        /// Only for output: kept in memory, for `output` and `errorOutput`.
        case captured
        /// An open descriptor, which the caller still owns.
        case descriptor(Int32)
    }

    /// How a program ended.
    public enum Exit: Sendable, Equatable {
        /// It exited with this status.
        case code(Int32)
        /// This signal ended it.
        case signal(Int32)
    }

    private struct State {
        var exit: Exit?
        var waiters: [CheckedContinuation<Exit, Never>] = []
    }

    /// Its process number. Signal it only by `signal`.
    public let id: Int32
    private let state = Mutex(State())
    private let ended = DispatchGroup()
    private let standardOutput = CapturedStream()
    private let standardError = CapturedStream()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: the program (a path, or a name in PATH) and its arguments.
    ///   - environment: the whole environment; nil takes this process's.
    ///   - directory: its working directory; nil takes this process's.
    ///   - ownSession: makes it the leader of a new session, so that Ctrl-C in our terminal doesn't reach it.
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
        // A thread waits for its end. A pidfd would need a poll loop, and SIGCHLD belongs to the program.
        DispatchQueue(label: "nudged.child").async { self.awaitEnd() }
    }

    /// Its captured standard output so far; complete when `wait` has returned.
    public var output: String { standardOutput.text }

    /// Its captured standard error so far.
    public var errorOutput: String { standardError.text }

    /// How it ended; nil while it runs.
    public var exit: Exit? { state.withLock { $0.exit } }

    /// Sends a signal. False if the process has ended.
    @discardableResult
    public func signal(_ number: Int32) -> Bool {
        // Under the lock, because `awaitEnd` reaps under it. So the number is still this process's.
        state.withLock { $0.exit == nil && kill(id, number) == 0 }
    }

    /// Blocks until the process has ended and its captured output is read. Nil if the time is up first.
    public func wait(_ time: Duration) -> Exit? {
        let limit = DispatchTime.now() + time / .seconds(1)
        guard ended.wait(timeout: limit) == .success else { return nil }
        // A grandchild may keep the pipe open, so the wait is limited.
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

    /// Blocks until the captured output (standard output or error) meets the condition. False if the time is up or the
    /// program has closed both.
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

    /// Ends it by the signal `number` (15 is SIGTERM), and by SIGKILL if it still runs after `time`. Blocks. May be
    /// called again.
    @discardableResult
    public func end(_ number: Int32 = 15, within time: Duration = .seconds(5)) -> Exit? {
        signal(number)
        if let exit = wait(time) { return exit }
        signal(SIGKILL)
        return wait(.seconds(5))
    }

    private func awaitEnd() {
        var info = siginfo_t()
        // WNOWAIT keeps the number ours until we reap it under the lock.
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (exit, waiters) = state.withLock { state -> (Exit, [CheckedContinuation<Exit, Never>]) in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            // Swift doesn't import WIFEXITED and its like. The low seven bits are the signal.
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
    /// - Throws: `programFailed` with its standard output and error; `timedOut` after it was killed.
    @discardableResult
    public static func run(
        _ arguments: [String],
        environment: [String: String]? = nil,
        directory: String? = nil,
        within time: Duration = .seconds(600)
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
            let text = "\(arguments.joined(separator: " ")): \(exit)\n\(child.output)\(child.errorOutput)"
            throw LocalPostgresError(.programFailed, text)
        }
        return child.output
    }
}
