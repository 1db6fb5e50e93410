import Glibc
import LocalPostgres

/// A daemon in its own network, with one line to the database and one to Apple. Each line can be cut.
///
/// The daemon's process is alone in a network namespace. Each line is a pair of virtual interfaces, which end with it,
/// and a relay at our end. A cut sets the interface down: nothing is refused, nothing arrives.
final class SplitNetwork: Sendable {
    enum Line: Int, CaseIterable {
        case database = 0
        case apple = 4
    }

    let daemon: ChildProcess
    private let relay: ChildProcess
    private let number: Int

    static func obstacle() -> String? {
        if geteuid() != 0 { return "needs root for network namespaces" }
        for program in ["/usr/bin/unshare", "/usr/bin/nsenter"] where access(program, X_OK) != 0 {
            return "needs \(program)"
        }
        let probe = "ip link add nfprobe type veth peer name nfprobe2 && ip link del nfprobe"
        let tried = try? ChildProcess.run(["sh", "-c", probe])
        return tried == nil ? "needs ip and virtual interfaces" : nil
    }

    private static let relayScript = """
        import asyncio, sys
        async def pump(source, sink):
            try:
                while data := await source.read(65536):
                    sink.write(data)
                    await sink.drain()
            except OSError:
                pass
            sink.close()
        def serve(target):
            async def handle(reader, writer):
                if target.startswith('/'):
                    r, w = await asyncio.open_unix_connection(target)
                else:
                    r, w = await asyncio.open_connection('127.0.0.1', int(target))
                await asyncio.gather(pump(reader, w), pump(r, writer))
            return handle
        async def main():
            for argument in sys.argv[1:]:
                address, port, target = argument.split(',')
                await asyncio.start_server(serve(target), address, int(port))
            print('ready', flush=True)
            await asyncio.Event().wait()
        asyncio.run(main())
        """

    /// Blocks until the relay and the daemon run.
    init(_ stage: Stage, _ changes: [String: String]) throws {
        // A number that no other network on this machine uses.
        let numbers = (0..<250).map { (Int(getpid()) + $0) % 250 }
        let free = numbers.first { (try? Self.link($0, .database)) != nil }
        guard let number = free else { throw FaultError("no interface could be made") }
        self.number = number
        try Self.link(number, .apple)
        let hosts = stage.folder + "/hosts"
        try TextFile.write(hosts, "\(Self.address(number, .apple)) localhost\n")
        relay = try stage.spawn([
            "python3", "-c", Self.relayScript,
            "\(Self.address(number, .database)),6432,\(stage.cluster.folder)/.s.PGSQL.5432",
            "\(Self.address(number, .apple)),\(stage.simulator.port),\(stage.simulator.port)",
        ])
        guard relay.waitForOutput(Stage.net, where: { $0.contains("ready") }) else {
            throw FaultError("the relay did not start: \(relay.errorOutput)")
        }
        let url = "postgresql://postgres@\(Self.address(number, .database)):6432/\(stage.database)?sslmode=disable"
        daemon = try stage.service(
            ["DATABASE_URL": url, "DATABASE_ALLOW_INSECURE": "true"].merging(changes) { $1 },
            wrapper: ["unshare", "-n", "-m", "sh", "-c", "mount --bind \"$0\" /etc/hosts && exec \"$@\"", hosts]
        )
        // The interfaces can join the namespace as soon as it exists. Until then the daemon waits for its database.
        for line in Line.allCases { try Self.join(number, line, daemon) }
    }

    private static func name(_ number: Int, _ line: Line) -> String { "nf\(number)x\(line.rawValue)" }

    private static func address(_ number: Int, _ line: Line, inside: Bool = false) -> String {
        "10.199.\(number).\(line.rawValue + (inside ? 2 : 1))"
    }

    private static func link(_ number: Int, _ line: Line) throws {
        let name = name(number, line)
        try ChildProcess.run(["ip", "link", "add", name, "type", "veth", "peer", "name", name + "d"])
        try ChildProcess.run(["ip", "addr", "add", address(number, line) + "/30", "dev", name])
        try ChildProcess.run(["ip", "link", "set", name, "up"])
    }

    private static func join(_ number: Int, _ line: Line, _ daemon: ChildProcess) throws {
        let (end, id) = (name(number, line) + "d", "\(daemon.id)")
        // unshare(1) may not have made it yet. Then the interface would join our own namespace.
        let ours = link("/proc/self/ns/net")
        let limit = ContinuousClock.now + Stage.net
        while link("/proc/\(id)/ns/net") == ours {
            guard ContinuousClock.now < limit, daemon.exit == nil else {
                throw FaultError("the network namespace did not appear")
            }
            usleep(5_000)
        }
        try ChildProcess.run(["ip", "link", "set", end, "netns", id])
        let inside = ["nsenter", "-t", id, "-n", "ip"]
        try ChildProcess.run(inside + ["addr", "add", address(number, line, inside: true) + "/30", "dev", end])
        try ChildProcess.run(inside + ["link", "set", end, "up"])
    }

    static func link(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    func set(_ line: Line, _ state: String) async throws {
        let name = Self.name(number, line)
        _ = try await onOwnThread { try ChildProcess.run(["ip", "link", "set", name, state]) }
    }

    func stop(_ stage: Stage) async throws {
        try await stage.stop(daemon)
        relay.end(SIGTERM)
        for line in Line.allCases { _ = try? ChildProcess.run(["ip", "link", "del", Self.name(number, line)]) }
    }
}
