import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// `nudged` as a container's runtime starts it: as process 1 of its namespace, as a user without an entry in passwd, on
/// a read-only root. Secrets and configuration are mounted as Kubernetes mounts a Secret and a ConfigMap.
@Suite(.ownThreads) struct ContainerTests {
    private static let namespaces = geteuid() == 0 ? [] : ["--user", "--map-root-user"]
    private static let user =
        geteuid() == 0 ? ["setpriv", "--reuid", "4242", "--regid", "4242", "--groups", "4243", "--inh-caps=-all"] : []

    @Test func run_asProcessOneWithoutANameOnAReadOnlyRoot_sendsReloadsAndStops() async throws {
        let scene = try await Scene()
        let folder = try Scene.openFolder()
        defer { _ = try? ChildProcess.run(["rm", "-rf", folder]) }
        try ChildProcess.run(["install", "-m", "644", "\(scene.folder)/ca.pem", "\(folder)/ca.pem"])
        let probe = try ChildProcess(
            ["unshare"] + Self.namespaces + ["--mount", "--pid", "--fork"] + Self.user + ["test", "-x", Scene.binary],
            error: .null
        )
        guard await probe.ended() == .code(0) else {
            return print("not run: no namespaces, or \(Scene.binary) is out of reach for another user")
        }
        var environment = scene.environment(["SCHEDULE_INTERVAL": "100ms", "APNS_CA_FILE": "\(folder)/ca.pem"])
        let url = try #require(environment["DATABASE_URL"])
        for name in environment.keys where name == "DATABASE_URL" || name.hasPrefix("APNS_") && name.contains("ID") {
            environment[name] = nil
        }
        environment["APNS_PRIVATE_KEY_FILE"] = nil
        environment["CREDENTIALS_DIRECTORY"] = folder + "/secrets"
        environment["RUNTIME_DIRECTORY"] = folder + "/run"
        let configuration = "apns: {teamId: \(Scene.teamID), keyId: \(Scene.keyID), bundleId: \(Scene.topic)}\n"
        let container = try ChildProcess(
            keeping: ["unshare"] + Self.namespaces
                + ["--mount", "--pid", "--fork", "--kill-child", "sh", "\(Checkout.root)/Tests/Reference/container.sh"]
                + [folder, "\(scene.folder)/key.p8", url, configuration] + Self.user
                + [Scene.binary, "run", "--config", "\(folder)/etc/nudged.yaml"],
            environment
        )
        defer { container.signal(SIGKILL) }
        try #require(container.waitForOutput(.seconds(120)) { $0.contains("is ready") }, "\(container.errorOutput)")
        try scene.seedDue(1)
        #expect(await scene.simulator.waitUntil(accepted: 1))
        let daemon = try #require(Self.child(of: container.id))
        func inside(_ arguments: [String]) throws -> String {
            let ways = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
            return try ChildProcess.run(
                ["nsenter", "--target", daemon, "--mount", "--pid"] + ways + Self.user + arguments,
                environment: environment
            )
        }
        #expect(try inside([Scene.binary, "status", "--health"]) == "process 1 is alive\n")
        #expect(try inside([Scene.binary, "reload"]) == "the new configuration is in force\n")
        let look = "cd /; ls \(folder)/run; touch /tmp/x \(folder)/x 2>/dev/null || echo read-only"
        #expect(try inside(["sh", "-c", look]) == "daemon.json\ndaemon.lock\nread-only\n")
        // Elsewhere such a folder is refused: on a mount that can be written, and if it is no mount of its own.
        for name in ["open", "map"] {
            let check = "\(Scene.binary) check-config --config \(folder)/\(name)/nudged.yaml 2>&1; echo $?"
            let answer = try inside(["sh", "-c", check])
            #expect(answer.contains("the folder \(folder)/\(name) has mode 0777"), "\(answer)")
            #expect(answer.hasSuffix("\n77\n"), "\(answer)")
        }
        _ = try inside(["kill", "-TERM", "1"])
        #expect(await container.ended() == .code(0))
        _ = container.wait(.seconds(60))
        // Lines for `docker logs`, and none of them on standard output.
        let lines = container.errorOutput.split(separator: "\n")
        #expect(container.output.isEmpty)
        #expect(lines.last?.contains(" info nudged: stopped: nothing is on the wire") == true)
        #expect(lines.allSatisfy { $0.first?.isNumber == true && $0.contains("Z ") }, "\(container.errorOutput)")
        for secret in scene.secrets.withLock({ $0 }) { #expect(!container.errorOutput.contains(secret)) }
    }

    /// The number of the first child (proc(5)).
    private static func child(of process: Int32) -> String? {
        let text = try? ChildProcess.run(["cat", "/proc/\(process)/task/\(process)/children"])
        return text?.split(separator: " ").first.map(String.init)
    }
}
