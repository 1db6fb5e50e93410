import CLinux
import Glibc
import Synchronization

/// A shell that outlives this process. It reads the server's number from a pipe that only this process writes to. When
/// the pipe closes, it stops the server and removes the folder. In its own session, Ctrl-C doesn't reach it.
final class ServerWatchdog: Sendable {
    /// `starting` is sent before the server is spawned, its number after. If this process is killed in between, only
    /// the server's process file has the number. SIGQUIT stops PostgreSQL at once, with its children.
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
            while kill -0 "$pid" && [ $tries -lt 100 ]; do tries=$((tries + 1)); sleep 0.05; done
            kill -KILL "$pid"
        fi 2>/dev/null
        rm -rf -- "$1"
        """

    private let process: ChildProcess
    /// The writing end; -1 after `dismiss`.
    private let pipeEnd: Mutex<Int32>

    /// Removes the folder if it can't start.
    init(folder: String, processFile: String = "data/postmaster.pid") throws(LocalPostgresError) {
        var ends: [Int32] = [-1, -1]
        // Closed on exec. A child with a copy of the writing end would keep the watchdog waiting.
        guard pipe2(&ends, O_CLOEXEC) == 0 else {
            let error = LocalPostgresError.system("pipe")
            ServerAccount.remove(folder)
            throw error
        }
        defer { close(ends[0]) }
        do throws(LocalPostgresError) {
            process = try ChildProcess(
                ["/bin/sh", "-c", Self.script, "nudged-watchdog", folder, processFile],
                directory: "/",
                input: .descriptor(ends[0]),
                output: .null,
                error: .null,
                ownSession: true
            )
        } catch {
            close(ends[1])
            ServerAccount.remove(folder)
            throw error
        }
        pipeEnd = Mutex(ends[1])
    }

    deinit { dismiss() }

    /// Sends the server's number, `0` for none, or `starting`.
    func tell(_ word: String) {
        pipeEnd.withLock { end in
            guard end >= 0 else { return }
            let line = Array("\(word)\n".utf8)
            // Shorter than PIPE_BUF, so written as a whole. If the watchdog was killed, a write would raise SIGPIPE.
            guard process.exit == nil else { return }
            _ = line.withUnsafeBytes { write(end, $0.baseAddress, $0.count) }
        }
    }

    func dismiss() {
        pipeEnd.withLock { end in
            if end >= 0 { close(end) }
            end = -1
        }
        _ = process.wait(.seconds(10))
    }
}
