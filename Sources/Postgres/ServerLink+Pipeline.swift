import CLibPQ
import Glibc

extension ServerLink {
    /// Sends the statements in one flight, with one synchronisation point at the end, and collects their results. So
    /// without BEGIN they are one implicit transaction, and the first error aborts the rest. `named`: those that are
    /// prepared once, if the session allows it and they have a `preparedName`.
    /// - Throws: The first error. After `refusedByServer` the link stays usable, but a transaction may be open. After
    ///   `connectionLost` or `timedOut` it must be closed.
    func flight(
        _ statements: [Statement],
        named: Range<Int> = 0..<0,
        _ deadline: Deadline
    ) throws(PostgresError) -> [Rows] {
        // All are checked before any is sent: an invalid parameter must not leave half a flight behind. The Bind message
        // has 16 bits for the number of parameters, and 31 for a length.
        for statement in statements {
            let isValid = statement.parameters.allSatisfy { $0.isExpressible && $0.bytes?.count ?? 0 <= Int32.max }
            guard isValid, statement.parameters.count <= 65_535 else {
                throw PostgresError(.invalidParameter, statement: statement.name)
            }
        }
        var steps: [(statement: String, prepares: String?)] = []
        for (place, statement) in statements.enumerated() {
            let name = prepares == true && named.contains(place) ? statement.preparedName : nil
            if let name, !prepared.contains(name), !steps.contains(where: { $0.prepares == name }) {
                let types = statement.parameters.map(\.type.rawValue)
                guard PQsendPrepare(handle, name, statement.sql, Int32(types.count), types) == 1 else {
                    throw lost(statement.name)
                }
                steps.append((statement.name, prepares: name))
            }
            try send(statement, as: name)
            steps.append((statement.name, prepares: nil))
        }
        guard PQpipelineSync(handle) == 1 else { throw lost(nil) }

        // For each statement libpq gives its result or error and then nil. After the last one it gives the
        // synchronisation point. An error of the implicit commit (a deferred constraint) comes between them.
        var all: [Rows] = []
        var ended = 0
        /// Later errors only follow from it.
        var failure: PostgresError?
        while true {
            let step = ended < steps.count ? steps[ended] : nil
            let name = step?.statement
            try becomeReady(deadline, during: name)
            guard let result = PQgetResult(handle) else {
                if isBroken { throw failure.map(asLost) ?? lost(name) }
                ended += 1
                continue
            }
            let rows = Rows(owning: result, statement: name ?? "commit")
            let status = PQresultStatus(result)
            switch status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                if let name = step?.prepares { prepared.insert(name) } else { all.append(rows) }
            case PGRES_PIPELINE_ABORTED: break
            case PGRES_PIPELINE_SYNC:
                if let failure { throw failure }
                guard all.count == statements.count else {
                    let detail = "\(all.count) results of \(statements.count) statements"
                    throw PostgresError(.unexpectedResult, detail: detail)
                }
                return all
            case PGRES_FATAL_ERROR:
                failure = failure ?? PostgresError(.refusedByServer, statement: name, reading: result)
            // libpq repeats this answer without end.
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: throw Self.copying(name)
            default:
                let detail = "an empty statement (status \(status.rawValue))"
                failure = failure ?? PostgresError(.unexpectedResult, statement: name, detail: detail)
            }
            withExtendedLifetime(rows) {}
            // A broken connection gives nothing more than the error that says so.
            if isBroken { throw failure.map(asLost) ?? lost(name) }
        }
    }

    private static func copying(_ name: String?) -> PostgresError {
        PostgresError(.connectionLost, statement: name, detail: "COPY isn't supported")
    }

    func script(_ text: String, name: String, _ deadline: Deadline) throws(PostgresError) {
        guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, text) == 1 else { throw lost(name) }
        var failure: PostgresError?
        while true {
            try becomeReady(deadline, during: name)
            guard let result = PQgetResult(handle) else { break }
            let status = PQresultStatus(result)
            let rows = Rows(owning: result, statement: name)
            if isBroken { throw lost(name) }
            switch status {
            case PGRES_FATAL_ERROR:
                failure = failure ?? PostgresError(.refusedByServer, statement: name, reading: result)
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: throw Self.copying(name)
            default: break
            }
            withExtendedLifetime(rows) {}
        }
        guard PQenterPipelineMode(handle) == 1 else { throw lost(name) }
        if let failure { throw failure }
    }

    /// - Parameter name: That of a prepared statement; nil: as one without a name.
    private func send(_ statement: Statement, as name: String?) throws(PostgresError) {
        let parameters = statement.parameters
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        for parameter in parameters { bytes += parameter.bytes ?? [] }
        // An empty value still needs an address, because a null pointer means NULL.
        bytes.append(0)
        let sent = bytes.withUnsafeBytes { raw in
            var next = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = parameters.map { parameter -> UnsafePointer<CChar>? in
                guard let count = parameter.bytes?.count else { return nil }
                defer { next = next.map { $0 + count } }
                return next
            }
            let lengths = parameters.map { Int32($0.bytes?.count ?? -1) }
            let formats = [Int32](repeating: 1, count: parameters.count)
            if let name {
                return PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
            }
            let types = parameters.map(\.type.rawValue)
            return PQsendQueryParams(handle, statement.sql, Int32(parameters.count), types, values, lengths, formats, 1)
        }
        if sent != 1 { throw lost(statement.name) }
    }

    /// Waits until PQgetResult doesn't block. It reads while it writes, else both sides could wait with full buffers.
    private func becomeReady(_ deadline: Deadline, during name: String?) throws(PostgresError) {
        while true {
            let unsent = PQflush(handle)
            // A server that ends a connection sends the reason first. A write may fail before that is read.
            if unsent < 0 { PQconsumeInput(handle) }
            if PQisBusy(handle) == 0 { return }
            if unsent < 0 { throw lost(name) }
            guard try wait(for: unsent == 1 ? POLLIN | POLLOUT : POLLIN, deadline) else {
                throw PostgresError(.timedOut, statement: name)
            }
            // After a failure the data that was read before is still there, such as a FATAL with its reason.
            if PQconsumeInput(handle) == 0, PQisBusy(handle) == 1 { throw lost(name) }
        }
    }

    /// The link is broken. libpq's message can repeat the server's, so it is not included.
    private func lost(_ name: String?) -> PostgresError {
        var error = farewell.error ?? PostgresError(.connectionLost)
        error.statement = name
        return error
    }

    /// Keeps the reason that the server gave (57P01 …) for a connection that then broke.
    private func asLost(_ error: PostgresError) -> PostgresError {
        // libpq's own error has no SQLSTATE: then only the server's farewell can say more.
        guard error.sqlState?.isEmpty == false else { return lost(error.statement) }
        var error = error
        error.code = .connectionLost
        return error
    }
}
