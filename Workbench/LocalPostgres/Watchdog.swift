import CLinux
import Glibc
import Synchronization

/// A shell that outlives us by a moment: it reads the server's process number from a pipe whose other end only we have, and
/// at its end, whatever ended us, stops the server and removes the folder. In a session of its own, so Ctrl-C leaves it.
final class Watchdog: Sendable {
    /// `starting` comes before the server is spawned and its number after: killed between the two, we leave a server that
    /// only its own process file tells of. SIGQUIT is PostgreSQL's immediate stop; its children end with it.
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
    /// The writing end; -1 once dismissed.
    private let pipeEnd: Mutex<Int32>

    /// - Parameter processFile: where the server itself writes its number, below `folder`.
    init(folder: String, processFile: String = "data/postmaster.pid") throws(LocalPostgresError) {
        var ends: [Int32] = [-1, -1]
        // Closed on exec: a child of ours that had the writing end would keep the watchdog waiting.
        guard pipe2(&ends, O_CLOEXEC) == 0 else {
            throw LocalPostgresError(.fileSystem, "pipe: \(String(cString: strerror(errno)))")
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
            throw error
        }
        pipeEnd = Mutex(ends[1])
    }

    deinit { dismiss() }

    /// Tells it the server's number, `0` for none, or `starting`.
    func tell(_ word: String) {
        pipeEnd.withLock { end in
            guard end >= 0 else { return }
            let line = Array("\(word)\n".utf8)
            // Under PIPE_BUF, so whole. A watchdog that was killed can't be told: SIGPIPE must not end us then.
            guard process.exit == nil else { return }
            _ = line.withUnsafeBytes { write(end, $0.baseAddress, $0.count) }
        }
    }

    /// The server has been stopped: lets the watchdog end.
    func dismiss() {
        pipeEnd.withLock { end in
            if end >= 0 { close(end) }
            end = -1
        }
        _ = process.wait(.seconds(10))
    }
}
