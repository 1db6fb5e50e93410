import LocalPostgres

/// A primary and a standby that follows it by real streaming replication; their URL names both, the primary first.
final class ServerPair: Sendable {
    let primary: LocalCluster
    let standby: LocalCluster

    init(synchronous: Bool) throws {
        let options = LocalCluster.Options(password: Scene.password, settings: ["synchronous_commit": "on"])
        primary = try LocalCluster(options)
        standby = try LocalCluster(standbyOf: primary, options)
        if synchronous { try primary.setSynchronousStandbys("standby") }
    }

    deinit {
        standby.stop()
        primary.stop()
    }

    /// Both hosts, of which only a writable one will do.
    func url(_ database: String) -> String {
        "postgresql://postgres:\(Scene.password)@127.0.0.1:\(primary.port ?? 0),127.0.0.1:\(standby.port ?? 0)/\(database)"
            + "?target_session_attrs=read-write"
    }
}
