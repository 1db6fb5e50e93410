import Glibc
import LocalPostgres

extension Fault {
    /// The disk with intents and record is full for a while. It is a small tmpfs, which only root can mount.
    static let fullDisk = Fault("disk-full", obstacle: SmallDisk.obstacle) { plan in
        let scenery = Scenery(ownCluster: [:], answers: 20...100, inFlight: 40)
        return plan.rounds(quick: 1, full: 3, users: 300, scenery: scenery) { stage in
            let disk = try await onOwnThread { try SmallDisk(stage) }
            try await stage.sql("create tablespace small location '\(disk.path)'")
            try await stage.sql(
                """
                alter table nudged.intent set tablespace small;
                do $$ declare part regclass; begin
                    for part in select inhrelid from pg_inherits where inhparent = 'nudged.delivery'::regclass loop
                        execute format('alter table %s set tablespace small', part);
                    end loop;
                end $$;
                """
            )
            let process = try stage.service()
            try await stage.awaitAccepted(20, by: process)
            try await onOwnThread { try disk.fill() }
            try await stage.wait(for: "the server to run out of space") {
                stage.cluster.log.contains("No space left on device")
            }
            try await Task.sleep(for: .milliseconds(plan.pick(quick: 1500, full: 5000)))
            try await onOwnThread { try disk.clear() }
            try await stage.recover(process, within: .seconds(8))
        }
    }
}

struct SmallDisk: Sendable {
    let path: String

    init(_ stage: Stage) throws {
        path = stage.cluster.folder + "/small"
        guard mkdir(path, 0o700) == 0 else { throw FaultError("can't make \(path)") }
        var info = stat()
        stat(stage.cluster.folder + "/data", &info)
        let path = path
        try ChildProcess.run([
            "mount", "-t", "tmpfs", "-o", "size=2m,mode=700,uid=\(info.st_uid),gid=\(info.st_gid)", "tmpfs", path,
        ])
        // It must be unmounted before the folder is removed.
        stage.atEnd { _ = try? ChildProcess.run(["umount", "-l", path]) }
    }

    func fill() throws {
        let file = open(path + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FaultError("can't fill \(path)") }
        defer { close(file) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(file, page, page.count) > 0 {}
    }

    func clear() throws { guard unlink(path + "/filler") == 0 else { throw FaultError("can't clear \(path)") } }

    /// Tries it, because root in a container may not mount.
    static func obstacle() -> String? {
        guard geteuid() == 0 else { return "mounting a tmpfs needs root" }
        var template = Array("/tmp/nudged-mount-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return "can't make a folder in /tmp" }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { rmdir(path) }
        guard (try? ChildProcess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path])) != nil else {
            return "this machine does not allow mounting a tmpfs"
        }
        _ = try? ChildProcess.run(["umount", path])
        return nil
    }
}
