import APNsSimulator
import LocalPostgres

/// A pair of servers, a daemon that knows both, and users who are due.
enum FailoverScene {
    private static let users = 3000
    /// A user who is due again in a second (a push was not written) counts as not served.
    private static let served = """
        select count(*) from nudged.person where due_at <= now() + interval '3 seconds' union all select count(*) from nudged.intent where user_ids <> '{}'
        """

    static func scene(_ pair: ServerPair, _ log: RequestLog) async throws -> Scene {
        let scene = try await Scene(cluster: pair.primary) { _, _ in
            log.note()
            return .delay(.milliseconds(20), then: .accept)
        }
        try scene.seedDue(users)
        return scene
    }

    static func settings(_ url: String, _ socket: NotifySocket) -> [String: String?] {
        [
            "DATABASE_URL": url, "NOTIFY_SOCKET": socket.path, "APNS_MAX_IN_FLIGHT": "200", "SCHEDULE_BATCH": "200",
            "SCHEDULE_INTERVAL": "200ms", "LOG_LEVEL": "info",
        ]
    }

    /// Looks at each word of the daemon's whether everyone is served.
    static func isServed(_ scene: Scene, _ server: LocalCluster, _ socket: NotifySocket) async -> Bool {
        let (database, start) = (scene.database, ContinuousClock.now)
        defer { print("served after \(ContinuousClock.now - start)") }
        return await socket.heard(600) { _ in (try? server.sql(served, database: database)) == "0\n0\n" } != nil
    }
}
