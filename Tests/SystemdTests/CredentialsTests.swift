import Base
import Glibc
import Testing

import class FoundationEssentials.FileManager
import struct FoundationEssentials.UUID

@testable import Systemd

@Suite struct CredentialsTests {
    private let folder = TemporaryFolder()

    private func code(_ path: String) -> SystemdError? {
        do throws(SystemdError) {
            _ = try Credentials.readKeyFile(path)
            return nil
        } catch {
            return error
        }
    }

    @Test func credential_whenSystemdHandedItOver() throws {
        let credentials = Credentials(environment: ["CREDENTIALS_DIRECTORY": folder.path])
        folder.write("apns.privateKey", "secret\n", mode: 0o444)
        #expect(try credentials.read("apns.privateKey")?.text == "secret" && credentials.read("database.url") == nil)
        #expect(try credentials.read("../etc/passwd") == nil && credentials.read("..") == nil)
        #expect(try Credentials(environment: [:]).read("apns.privateKey") == nil)
    }

    @Test func keyFile_whenItIsFine() throws {
        let key = try Credentials.readKeyFile(folder.write("key", "line 1\nline 2\n \r\n", mode: 0o640))
        #expect(key.text == "line 1\nline 2")
    }

    @Test func keyFile_whenItIsNoUsableFile() {
        #expect(code(folder.path + "/none")?.code == .missing)
        #expect(code(folder.path + "/none")?.exitStatus == .configuration && code(folder.path)?.code == .notAFile)
        #expect(code("/dev/zero")?.code == .notAFile)
        #expect(code(folder.write("large", String(repeating: "x", count: 65_537), mode: 0o600))?.code == .tooLarge)
        #expect(code(folder.write("fits", String(repeating: "x", count: 65_536), mode: 0o600)) == nil)
        #expect(code(folder.write("blank", "\n \n", mode: 0o600))?.code == .empty)
        #expect(code(folder.write("zero", "a\0b", mode: 0o600))?.code == .notText)
        #expect(code(folder.write("umlaut", "ä", mode: 0o600)) == nil)
        #expect(code(folder.write("half", bytes: [0x61, 0xC3], mode: 0o600))?.code == .notText)
        let fifo = folder.path + "/fifo"
        mkfifo(fifo, 0o600)
        #expect(code(fifo)?.code == .notAFile)
        symlink("/nowhere/file", folder.path + "/dangling")
        #expect(code(folder.path + "/dangling")?.code == .missing)
    }

    @Test func keyFile_isCheckedLikeTheConfiguration() {
        #expect(code(folder.write("key", "text", mode: 0o640)) == nil)
        #expect(code(folder.write("written", "text", mode: 0o602))?.code == .writable)
        #expect(code(folder.write("read", "text", mode: 0o604))?.code == .worldReadable)
        if geteuid() == 0 {
            let path = folder.write("foreign", "text", mode: 0o600)
            chown(path, 4242, 4242)
            #expect(code(path)?.code == .foreign)
        }
        chmod(folder.path, 0o777)
        #expect(code(folder.path + "/key")?.code == .replaceable)
    }

    // Root reads everything.
    @Test(.enabled(if: getuid() != 0)) func keyFile_whenItMayNotBeRead() {
        let error = code(folder.write("key", "secret", mode: 0o000))
        #expect(error?.code == .unreadable && error?.exitStatus == .permission)
    }

    @Test func secret_isShownNowhere() {
        let secret = Secret("planted")
        var dumped = ""
        dump(["a": secret], to: &dumped)
        #expect(!"\(secret) \(String(reflecting: secret)) \(dumped)".contains("planted"))
        #expect(secret == Secret("planted") && secret != Secret("plante") && secret.text == "planted")
    }

    @Test func environment_whenRead() { #expect(ProcessEnvironment.current()["PATH"]?.isEmpty == false) }
}

/// A folder that goes with its owner.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = "/tmp/nudged-test-\(UUID().uuidString)"
        mkdir(path, 0o700)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ name: String, _ text: String, mode: mode_t) -> String {
        write(name, bytes: Array(text.utf8), mode: mode)
    }

    @discardableResult
    func write(_ name: String, bytes: [UInt8], mode: mode_t) -> String {
        let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(file, bytes, bytes.count)
        fchmod(file, mode)
        close(file)
        return path + "/" + name
    }
}
