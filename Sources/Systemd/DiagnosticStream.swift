import Glibc

/// Writes lines to standard error with write(2) and ignores errors. A broken pipe, a full disk or a closed terminal
/// must not end the daemon. (`FileHandle.write` traps on failure.)
struct DiagnosticStream: Sendable {
    /// Borrowed: standard error belongs to the process and is never closed here.
    let descriptor: Int32

    /// Returns whether the whole line was written. Waits a tenth of a second for a reader that doesn't read.
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
                    // A ready pipe accepts PIPE_BUF bytes without blocking, but not more (pipe(7)).
                    Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, min(bytes.count - offset, 4096))
                }
                if written < 0 && (errno == EINTR || errno == EAGAIN) { continue }
                guard written > 0 else { return false }
                offset += written
            }
            return true
        }
    }

    /// Blocks SIGPIPE on this thread and removes it if the write raised it. By default it ends the process, and a
    /// logger must not assume that the program ignores it.
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
