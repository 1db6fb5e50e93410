import Glibc

/// Lines on standard error, by write(2) with errors ignored: no broken pipe, full disk or closed terminal may end the daemon.
/// (`FileHandle.write` traps on failure.)
struct DiagnosticStream: Sendable {
    /// Borrowed: standard error is the process's own and is never closed here.
    let descriptor: Int32

    /// Whether all of it was written. A reader that doesn't read is waited for a tenth of a second.
    func write(_ line: String) -> Bool {
        let bytes = Array((line + "\n").utf8)
        return Self.withoutBrokenPipeSignal {
            var offset = 0
            while offset < bytes.count {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                let answer = poll(&ready, 1, 100)
                if answer < 0 && errno == EINTR { continue }
                guard answer == 1, ready.revents & Int16(POLLOUT) != 0 else { return false }
                let written = bytes.withUnsafeBytes {
                    // A pipe that is ready takes PIPE_BUF bytes without blocking, and not more (pipe(7)).
                    Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, min(bytes.count - offset, 4096))
                }
                if written < 0 && (errno == EINTR || errno == EAGAIN) { continue }
                guard written > 0 else { return false }
                offset += written
            }
            return true
        }
    }

    /// Holds SIGPIPE back on this thread and takes it away where the write raised it: its default ends the process, and whether the program
    /// ignores it is not for a logger to assume.
    private static func withoutBrokenPipeSignal(_ body: () -> Bool) -> Bool {
        var pipe = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        let result = body()
        if !result && !wasPending {
            var immediately = timespec()
            while sigtimedwait(&pipe, nil, &immediately) < 0 && errno == EINTR {}
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }
}
