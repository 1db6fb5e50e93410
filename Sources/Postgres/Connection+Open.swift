import Dispatch

extension Connection {
    /// Connects, each host of the configuration having `connectTimeout`.
    ///
    /// - Parameter notices: gets the server's notices, on the connection's queue; without it they are dropped.
    /// - Throws: `connectionFailed`; `cancelled` at once when the task is.
    public static func open(
        _ configuration: ConnectionConfiguration,
        notices: (@Sendable (Notice) -> Void)? = nil
    ) async throws(PostgresError) -> Connection {
        let connection = Connection(configuration, notices: notices)
        let first = FirstAnswer<Result<Void, PostgresError>>()
        // libpq resolves names with the blocking getaddrinfo, on the connection's queue; neither a deadline nor a
        // cancellation reaches it there. So this doesn't wait for it: what connects too late is closed again.
        // Not a Task: one starts on the cooperative pool, and where that is starved the time would run out unused.
        connection.executor.perform {
            connection.assumeIsolated { isolated in
                if !first.settle(isolated.connectResult()) { isolated.close() }
            }
        }
        let time = configuration.connectTimeout * configuration.attempts.count + grace
        let late = DispatchWorkItem {
            first.settle(.failure(PostgresError(.connectionFailed, detail: "no answer in time")))
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + time / .seconds(1), execute: late)
        defer { late.cancel() }
        let result = await withTaskCancellationHandler {
            await first.wait()
        } onCancel: {
            first.settle(.failure(PostgresError(.cancelled)))
        }
        try result.get()
        return connection
    }

    private func connectResult() -> Result<Void, PostgresError> {
        do throws(PostgresError) {
            try connect()
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
