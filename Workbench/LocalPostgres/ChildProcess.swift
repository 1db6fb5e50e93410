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
        /// Only for output: kept in memory, for `output` and `errorOutput`.
        case captured
        case descriptor(Int32)
    }

    package enum Exit: Sendable, Equatable {
        case code(Int32)
        case signal(Int32)
    }

    private struct State {
        var exit: Exit?
        var waiters: [CheckedContinuation<Exit, Never>] = []
    }

    /// Its process number. Signal it only by `signal`.
    package let id: Int32
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
    package init(
        _ arguments: [String],
        environment: [String: String]? = nil,
        directory: String? = nil,
        input: Stream = .null,
        output: Stream = .inherited,
        error: Stream = .inherited,
        ownSession: Bool = false
    ) throws(LocalPostgresError) {
        var plan = SpawnPlan(arguments, environment, directory, ownSession: ownSession)
        id = try plan.spawn(input: input, output: (output, standardOutput), error: (error, standardError))
        ended.enter()
        // A thread waits for its end. A pidfd would need a poll loop, and SIGCHLD belongs to the program.
        DispatchQueue(label: "nudged.child").async { self.awaitEnd() }
    }

    /// Its captured standard output so far; complete when `wait` has returned.
    package var output: String { standardOutput.text }

    package var errorOutput: String { standardError.text }

    /// How it ended; nil while it runs.
    package var exit: Exit? { state.withLock { $0.exit } }

    /// Sends a signal. False if the process has ended.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        // Under the lock, because `awaitEnd` reaps under it. So the number is still this process's.
        state.withLock { $0.exit == nil && kill(id, number) == 0 }
    }

    /// Blocks until the process has ended and its captured output is read. Nil if the time is up first.
    package func wait(_ time: Duration) -> Exit? {
        let limit = DispatchTime.now() + time / .seconds(1)
        guard ended.wait(timeout: limit) == .success else { return nil }
        // A grandchild may keep the pipe open, so the wait is limited.
        standardOutput.wait(until: limit)
        standardError.wait(until: limit)
        return exit
    }

    package func ended() async -> Exit {
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
    package func waitForOutput(_ time: Duration, where condition: @Sendable (_ output: String) -> Bool) -> Bool {
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
    package static func run(
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

/// What a child wrote to one of its streams. A thread of its own reads it, so the child never waits for us.
final class CapturedStream: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isOpen = false
        var waiters: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())
    private let closed = DispatchGroup()

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    func drain(_ descriptor: Int32) {
        state.withLock { $0.isOpen = true }
        closed.enter()
        DispatchQueue(label: "nudged.child.output").async {
            self.readAll(descriptor)
            close(descriptor)
            self.update { $0.isOpen = false }
            self.closed.leave()
        }
    }

    func wait(until limit: DispatchTime) { _ = closed.wait(timeout: limit) }

    /// The length of both together, and whether more can come.
    static func state(_ first: CapturedStream, _ second: CapturedStream) -> (length: Int, isOpen: Bool) {
        let a = first.state.withLock { ($0.bytes.count, $0.isOpen) }
        let b = second.state.withLock { ($0.bytes.count, $0.isOpen) }
        return (a.0 + b.0, a.1 || b.1)
    }

    /// Returns when both together have more than `length`, or one closes, or the time is up.
    static func waitForMore(
        _ first: CapturedStream,
        _ second: CapturedStream,
        than length: Int,
        until limit: DispatchTime
    ) {
        let semaphore = DispatchSemaphore(value: 0)
        first.state.withLock { $0.waiters.append(semaphore) }
        second.state.withLock { $0.waiters.append(semaphore) }
        // It registers before it looks, so that nothing in between is missed.
        let now = state(first, second)
        if now.length == length, now.isOpen { _ = semaphore.wait(timeout: limit) }
        first.state.withLock { $0.waiters.removeAll { $0 === semaphore } }
        second.state.withLock { $0.waiters.removeAll { $0 === semaphore } }
    }

    private func readAll(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            update { $0.bytes.append(contentsOf: buffer[0..<count]) }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
    }
}
