import Dispatch

extension Connection {
    /// Connects. Each host of the configuration has `connectTimeout`.
    ///
    /// - Parameter notices: Nil: they are dropped.
    /// - Throws: `connectionFailed`, or `cancelled` as soon as the task is cancelled.
    public static func open(
        _ configuration: ConnectionConfiguration,
        notices: NoticeHandler? = nil
    ) async throws(PostgresError) -> Connection {
        let connection = Connection(configuration, notices: notices)
        let first = FirstAnswer<Result<Void, PostgresError>>()
        // libpq resolves names with the blocking getaddrinfo on the connection's queue, and no deadline or cancellation
        // interrupts it. So this function doesn't wait for it: a connection that comes too late is closed. A Task would
        // start on the cooperative pool. If all its threads are busy, the time would pass unused.
        connection.executor.perform {
            connection.assumeIsolated { isolated in
                if !first.settle(isolated.connectResult()) { isolated.close() }
            }
        }
        let patience = configuration.connectTimeout + (configuration.headStart ?? .zero)
        let time = patience * configuration.attempts.count + grace
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
