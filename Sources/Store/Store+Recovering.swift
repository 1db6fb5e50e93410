public import FoundationEssentials
public import Postgres

/// What daemons that died were about to write.
extension Store {
    /// Records as unknown what a dead daemon was about to write. Returns the chunks and the pushes.
    ///
    /// Nothing while daemons may only be finding back to a database that was away (`findingBack`): leases went on meanwhile, and who lives has outcomes to
    /// record. Where somebody holds the row of one of the users, the other chunks are recorded one by one.
    ///
    /// - Throws: 55P03 where nothing could be recorded but what somebody holds.
    public func recover(except living: [UUID], limit: Int) async throws(PostgresError) -> (chunks: Int, pushes: Int) {
        // A lost one is replaced where it is asked for.
        _ = try await claims.connection()
        if let replacedAt = await claims.replacedAt, ContinuousClock.now - replacedAt < findingBack { return (0, 0) }
        do throws(PostgresError) {
            return try await recover(except: living, limit: limit, reason: Self.lost)
        } catch {
            guard error.sqlState == Self.lockNotAvailable else { throw error }
            let found = try await recoverSingly(except: living, limit: limit)
            if found.chunks == 0 { throw error }
            return found
        }
    }

    /// - Parameter only: of this chunk alone; nil: of all.
    func recover(
        except living: [UUID],
        limit: Int,
        reason: String,
        only chunk: (leaseID: UUID, number: Int32)? = nil,
        patience: [(String, String)] = Store.impatient
    ) async throws(PostgresError) -> (chunks: Int, pushes: Int) {
        let rows = try await one(
            claims,
            .recover,
            [
                .uuidArray(living), .int8(Int64(limit)), .text(reason),
                chunk.map { .uuid($0.leaseID) } ?? .null(.uuid), chunk.map { .int4($0.number) } ?? .null(.int4),
            ],
            settings: patience
        )
        return (Int(try rows.int8(0, 0)), Int(try rows.int8(0, 1)))
    }

    /// Chunk by chunk, in no order: for as long as that may take, those that are held must not keep the same others waiting at each look.
    private func recoverSingly(
        except living: [UUID],
        limit: Int
    ) async throws(PostgresError) -> (chunks: Int, pushes: Int) {
        let end = ContinuousClock.now + Self.searchTime
        let dead = try await one(claims, .deadIntents, [.uuidArray(living), .int8(Int64(limit))])
        var found = (chunks: 0, pushes: 0)
        for row in 0..<dead.count where ContinuousClock.now < end {
            let chunk = (leaseID: try dead.uuid(row, 0), number: try dead.int4(row, 1))
            do throws(PostgresError) {
                let one = try await recover(
                    except: living,
                    limit: 1,
                    reason: Self.lost,
                    only: chunk,
                    patience: [("lock_timeout", "50")]
                )
                found = (found.chunks + one.chunks, found.pushes + one.pushes)
            } catch {
                guard error.sqlState == Self.lockNotAvailable else { throw error }
            }
        }
        return found
    }

    /// The reason that the record gives.
    private static let lost = "daemon_lost"
    /// A look waits no longer for held rows.
    private static let searchTime = Duration.seconds(1)

    /// For a session that takes the place of one whose answer did not come. Where that one's commit waits for a synchronous standby that is away, it waits on in
    /// the server though we have gone, and so would each further one, until no session is left for the app either.
    @Sendable static func expectAnswers(_ connection: Connection) async throws(PostgresError) {
        let rows = try await connection.run(
            Statement(Query.stuckCommits.rawValue, sql: Query.stuckCommits.sql, parameters: [])
        )
        guard try rows.bool(0, 0) else { return }
        throw PostgresError(
            .timedOut,
            statement: "commit",
            detail: "commits wait for a synchronous standby that is away"
        )
    }
}
