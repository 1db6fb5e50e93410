import APNsSimulator
import Glibc
import LocalPostgres
import Synchronization

/// Shared by all rounds: binary, reference, certificate, and a private PostgreSQL with a migrated template.
package final class Workshop: Sendable {
    /// The path of `nudged`: a debug build, because only those have fail points.
    let binary: String
    /// That of an earlier version, or `binary`. It makes the schema.
    let older: String
    let reference: String
    let cluster: LocalCluster
    let certificate: SimulatorCertificate
    /// Temporary files, in the cluster's folder, so they are removed with it.
    let folder: String
    private let state = Mutex((stages: [Stage](), isClosed: false))

    static let template = "faults_template"
    static let (teamID, keyID, topic) = ("FAULTS1234", "KEY1234567", "com.example.app")

    /// - Throws: if PostgreSQL, python3 or a file is missing, or the migration fails.
    package init(nudged: String, older: String? = nil, reference: String) throws {
        for path in [nudged, older ?? nudged] where access(path, X_OK) != 0 {
            throw FaultError("\(path) is not a program: build it with `swift build`")
        }
        guard access(reference, R_OK) == 0 else {
            throw FaultError("\(reference) can't be read: give its path with --reference")
        }
        binary = nudged
        self.older = older ?? nudged
        self.reference = reference
        certificate = try SimulatorCertificate()
        cluster = try LocalCluster(LocalCluster.Options(maxConnections: 200))
        folder = cluster.folder + "/faults"
        guard mkdir(folder, 0o700) == 0 else { throw FaultError("can't make \(folder)") }
        try TextFile.write(folder + "/ca.pem", certificate.authority)
        try TextFile.write(folder + "/key.p8", certificate.providerKey.privateKey)
        try migrateTemplate(cluster)
    }

    deinit { close() }

    /// Ends everything that was started. May be called again, and from a signal's handler.
    package func close() {
        let open = state.withLock { state in
            defer { state = ([], true) }
            return state.isClosed ? nil : state.stages
        }
        guard let open else { return }
        for stage in open { stage.killProcesses() }
        for stage in open { stage.strike() }
        cluster.stop()
    }

    /// Whether everything is being ended. From then on a round's result means nothing.
    package var isEnding: Bool { state.withLock { $0.isClosed } }

    /// `close` strikes this stage, unless `forget` is called first.
    func remember(_ stage: Stage) { state.withLock { $0.stages.append(stage) } }

    func forget(_ stage: Stage) { state.withLock { $0.stages.removeAll { $0 === stage } } }

    /// A PostgreSQL for a round that harms it. It ends with the round.
    func ownCluster(_ options: LocalCluster.Options) throws -> LocalCluster {
        let own = try LocalCluster(options)
        try migrateTemplate(own)
        return own
    }

    private func migrateTemplate(_ cluster: LocalCluster) throws {
        try cluster.createDatabase(named: Self.template)
        let url = cluster.url(database: Self.template)
        let environment = ["PATH": "/usr/bin:/bin", "DATABASE_URL": url, "LOG_LEVEL": "warning"]
        try ChildProcess.run([older, "migrate", "--with-templates"], environment: environment)
    }
}

extension LocalCluster {
    func serverProcesses() -> [Int32] {
        guard let postmaster = serverID else { return [] }
        return [postmaster] + ProcessTable.all().filter { Int32($0.fields[1]) == postmaster }.map(\.id)
    }

    /// SIGKILL to the postmaster, like a crash. Waits for its children, so that a new server is alone.
    func crash() async throws {
        let all = serverProcesses()
        halt(.kill)
        let end = ContinuousClock.now + Stage.net
        while all.contains(where: { kill($0, 0) == 0 }) {
            guard ContinuousClock.now < end else { throw FaultError("backends of a killed postmaster still run") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
