import Glibc
import LocalPostgres
import Testing

extension ChildProcess {
    /// Starts a program of which all is kept that it says.
    convenience init(keeping arguments: [String], _ environment: [String: String]? = nil, from input: Stream = .null)
        throws
    {
        try self.init(arguments, environment: environment, input: input, output: .captured, error: .captured)
    }

    /// Runs a program to its end, whatever that is.
    static func toEnd(_ arguments: [String], _ environment: [String: String]? = nil, from input: Stream = .null)
        async throws -> Scene.Run
    {
        let process = try ChildProcess(keeping: arguments, environment, from: input)
        let exit = await process.ended()
        _ = process.wait(.seconds(5))
        return Scene.Run(exit: exit, output: process.output, errors: process.errorOutput)
    }

    /// What a line of `/proc/…/status` says (proc(5)).
    func status(_ key: String) -> Substring? {
        let line = TextFile.read("/proc/\(id)/status")?.split(separator: "\n").first { $0.hasPrefix("\(key):") }
        return line?.split(separator: "\t").last
    }

    /// The same in megabytes.
    func megabytes(_ key: String) -> Int? { status(key).flatMap { Int($0.filter(\.isNumber)) }.map { $0 / 1024 } }
}

extension Scene {
    /// A new folder that others may enter, unlike the scene's.
    static func openFolder() throws -> String {
        var template = Array("/tmp/nudged-open-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        chmod(template, 0o755)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Runs a script of sh with `$small`, a file system with little room. Mounting takes root, as CI has it.
    func onSmallDisk(_ options: String, _ environment: [String: String], _ script: String) async throws -> Run {
        let mount = "small=\(folder)/small\nset -e\nmkdir $small\nmount -t tmpfs -o \(options) tmpfs $small\n"
        let path = write(mount + script, to: "full.sh")
        let own = environment.merging(["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]) { $1 }
        return try await finish(ChildProcess(keeping: ["unshare", "--mount", "sh", path], own))
    }

    /// What runs a command as another user, if this one is root. nil: `nudged` is out of that user's reach, as where the
    /// build lies under /root.
    static func otherUser() async throws -> [String]? {
        let other = geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"] : []
        let probe = try ChildProcess(other + ["test", "-x", binary], error: .null)
        if await probe.ended() == .code(0) { return other }
        print("not run: \(binary) is out of reach for another user")
        return nil
    }
}
