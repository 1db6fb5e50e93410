import Glibc
import Testing

@testable import Systemd

@Suite struct ProtectedFileTests {
    private let folder = TemporaryFolder()

    private func fault(_ path: String, user: uid_t = geteuid()) -> SystemdError? {
        do throws(SystemdError) {
            _ = try ProtectedFile(reading: path, limit: 100, user: user)
            return nil
        } catch {
            return error
        }
    }

    @Test func file_whenOnlyItsOwnerWrites_isRead() throws {
        for (mode, isOpen) in [(0o600 as mode_t, false), (0o640, false), (0o644, true), (0o444, true)] {
            let file = try ProtectedFile(reading: folder.write("file", "text\n", mode: mode), limit: 100)
            #expect(file.text == "text" && file.isWorldReadable == isOpen)
        }
    }

    @Test(
        arguments: [
            (0o770, "0770"), (0o777, "0777"), (0o707, "0707"), (0o1777, nil), (0o1770, nil), (0o755, nil), (0o711, nil),
        ] as [(mode_t, String?)]
    ) func file_whenOthersWriteItsFolder_isRefusedUnlessTheBitIsSticky(mode: mode_t, text: String?) {
        let path = folder.write("file", "text", mode: 0o600)
        chmod(folder.path, mode)
        let error = fault(path)
        #expect((error == nil) == (text == nil), "\(String(describing: error))")
        guard let text else { return }
        #expect(error?.code == .replaceable && error?.exitStatus == .permission)
        #expect(error?.problem == "\(path) can be replaced by others: the folder \(folder.path) has mode \(text)")
        #expect(error?.remedy == "check its content, then chmod go-w \(folder.path)")
    }

    /// For root the file is given to another user; anybody else looks at their own file as another user.
    @Test func file_whenItIsSomebodyElses_isRefused() {
        let path = folder.write("file", "text", mode: 0o600)
        if geteuid() == 0 { chown(path, 4242, 4242) }
        let owner = geteuid() == 0 ? 4242 : geteuid()
        #expect(fault(path, user: owner) == nil)
        let error = fault(path, user: owner + 1)
        #expect(error?.code == .foreign && error?.exitStatus == .permission)
        #expect(error?.problem.hasPrefix("\(path) belongs to user \(owner), ") == true)
        #expect(error?.remedy == "check its content, then chown root \(path)")
    }

    /// Who owns a folder, or can write to one further up, can put another one in its place.
    @Test func file_whenAFolderAboveIsOpenOrSomebodyElses_isRefused() {
        let inner = folder.path + "/a"
        let deep = inner + "/b"
        mkdir(inner, 0o755)
        mkdir(deep, 0o755)
        let path = deep + "/file"
        close(open(path, O_WRONLY | O_CREAT, 0o600))
        // An empty file: all other checks came before.
        #expect(fault(path)?.code == .empty)
        for above in [deep, inner, folder.path] {
            for mode in [0o777, 0o775, 0o757] as [mode_t] {
                chmod(above, mode)
                let error = fault(path)
                #expect(error?.code == .replaceable && error?.remedy == "check its content, then chmod go-w \(above)")
            }
            chmod(above, 0o1777)
            #expect(fault(path)?.code == .empty)
            chmod(above, 0o755)
            guard geteuid() == 0 else { continue }
            // Also with the sticky bit: a folder's owner may delete all that is in it.
            for mode in [0o755, 0o1777] as [mode_t] {
                chmod(above, mode)
                chown(above, 4242, 0)
                let error = fault(path)
                #expect(error?.code == .foreignFolder && error?.exitStatus == .permission)
                #expect(error?.problem.contains("user 4242, who owns the folder \(above)") == true)
                #expect(error?.remedy == "check its content, then chown root \(above)")
                #expect(fault(path, user: 4242)?.code == .empty)
                chown(above, 0, 0)
            }
            chmod(above, 0o755)
        }
        #expect(fault(path)?.code == .empty)
    }

    /// If the path is a link, the file that it leads to is checked, and its folder. Kubernetes mounts configuration so.
    @Test func link_isCheckedByItsTarget() {
        let inner = TemporaryFolder()
        let target = inner.write("target", "text", mode: 0o644)
        let link = folder.path + "/link"
        symlink(target, link)
        chmod(folder.path, 0o777)
        #expect(fault(link) == nil)
        chmod(target, 0o666)
        #expect(fault(link)?.code == .writable)
        chmod(target, 0o644)
        chmod(inner.path, 0o777)
        #expect(fault(link)?.code == .replaceable)
        #expect(fault(link)?.remedy == "check its content, then chmod go-w \(inner.path)")
    }
}
