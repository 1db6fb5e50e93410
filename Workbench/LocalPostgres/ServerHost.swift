import CLinux
import Glibc
import Synchronization

/// A server's process and its temporary folder. They end with this process, however that ends.
///
/// The watchdog is a shell that outlives this process. It reads the server's number from a pipe that only this process
/// writes to. When the pipe closes, it stops the server and removes the folder. The kernel closes the pipe even after
/// SIGKILL. (PR_SET_PDEATHSIG is bound to the thread that spawned, and Dispatch ends idle threads.) The watchdog has
/// its own session, so Ctrl-C doesn't reach it.
final class ServerHost: Sendable {
    /// `starting` is sent before the server is spawned, its number after. If this process is killed in between, only
    /// the server's process file has the number. SIGQUIT stops PostgreSQL with its children, which
    /// may take it 5 s. Killed itself, it would leave shared memory behind.
    private static let script = """
        pid=0
        while read -r line; do pid=$line; done
        tries=0
        while [ "$pid" = starting ] && [ $tries -lt 100 ]; do
            tries=$((tries + 1))
            if read -r found 2>/dev/null <"$1/$2"; then pid=$found; else sleep 0.05; fi
        done
        if [ "$pid" != starting ] && [ "$pid" -gt 1 ]; then
            kill -CONT "$pid"; kill -QUIT "$pid"
            tries=0
            while kill -0 "$pid" && [ $tries -lt 300 ]; do tries=$((tries + 1)); sleep 0.05; done
            kill -KILL "$pid"
        fi 2>/dev/null
        rm -rf -- "$1"
        """

    let folder: String
    let account: ServerAccount
    private let watchdog: ChildProcess
    /// `pipe`: the writing end; -1 after `stop`.
    private let state: Mutex<(pipe: Int32, server: ChildProcess?)>

    init(inMemory: Bool, processFile: String = "data/postmaster.pid") throws(LocalPostgresError) {
        account = try ServerAccount.current()
        folder = try account.makeFolder(inMemory: inMemory)
        var ends: [Int32] = [-1, -1]
        do throws(LocalPostgresError) {
            // Closed on exec. A child with a copy of the writing end would keep the watchdog waiting.
            guard pipe2(&ends, O_CLOEXEC) == 0 else { throw LocalPostgresError.system("pipe") }
            watchdog = try ChildProcess(
                ["/bin/sh", "-c", Self.script, "nudged-watchdog", folder, processFile],
                directory: "/",
                input: .descriptor(ends[0]),
                output: .null,
                error: .null,
                ownSession: true
            )
        } catch {
            ends.forEach { close($0) }
            ServerAccount.remove(folder)
            throw error
        }
        close(ends[0])
        state = Mutex((ends[1], nil))
    }

    deinit { stop() }

    var server: ChildProcess? { state.withLock { $0.server } }

    var log: String { TextFile.read(folder + "/log") ?? "" }

    /// Writes a file (mode 0600) for the server into the folder. Returns its path.
    func install(_ name: String, _ contents: String) throws(LocalPostgresError) -> String {
        let path = "\(folder)/\(name)"
        try TextFile.write(path, contents)
        try account.own(path)
        return path
    }

    /// Starts a program as the server, and waits until it is ready.
    func start(
        _ command: [String],
        output: ChildProcess.Stream,
        isReady: (ChildProcess) -> Bool
    ) throws(LocalPostgresError) {
        guard state.withLock({ $0.pipe >= 0 }) else { throw LocalPostgresError(.stopped, folder) }
        tell("starting")
        let server = try ChildProcess(command, directory: folder, output: output, error: output, ownSession: true)
        tell(String(server.id))
        state.withLock { $0.server = server }
        let limit = ContinuousClock.now + .seconds(300)
        while !isReady(server) {
            // This is also the pause. It returns early only if the server ended.
            if let exit = server.wait(.milliseconds(5)) {
                throw LocalPostgresError(.programFailed, "the server ended: \(exit)\n\(log)")
            }
            guard ContinuousClock.now < limit else {
                server.end(SIGQUIT, within: .seconds(15))
                throw LocalPostgresError(.timedOut, "the server isn't ready\n\(log)")
            }
        }
    }

    func halt(_ signal: Int32, within time: Duration = .seconds(5)) {
        guard let server else { return }
        // Stopped by SIGSTOP, it would hear no other signal.
        server.signal(SIGCONT)
        server.end(signal, within: time)
        state.withLock { if $0.server === server { $0.server = nil } }
        tell("0")
    }

    /// Ends the watchdog and removes the folder. The server must have been halted. May be called again.
    func stop() {
        let pipe = state.withLock { state in
            defer { state.pipe = -1 }
            return state.pipe
        }
        guard pipe >= 0 else { return }
        close(pipe)
        _ = watchdog.wait(.seconds(10))
        ServerAccount.remove(folder)
    }

    /// Sends the server's number, `0` for none, or `starting`.
    private func tell(_ word: String) {
        state.withLock { state in
            // Shorter than PIPE_BUF, so written as a whole. If the watchdog was killed, a write would raise SIGPIPE.
            guard state.pipe >= 0, watchdog.exit == nil else { return }
            _ = TextFile.append("\(word)\n", to: state.pipe)
        }
    }
}
