package import Base
import Glibc

/// Reads secrets from files: systemd's credentials (`LoadCredential=`, in `$CREDENTIALS_DIRECTORY`) and files that the
/// configuration names.
package struct Credentials: Sendable {
    /// The largest secret, in bytes. A secret is a key or a URL, so a larger file was named by mistake.
    package static let largestSecret = 65_536

    /// The directory with the credentials of this service. Nil if systemd gave none.
    package let directory: String?

    /// - Parameter environment: Only `CREDENTIALS_DIRECTORY` is read.
    package init(environment: [String: String]) {
        directory = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The path that the credential with this name would have.
    package func path(of name: String) -> String? {
        guard let directory, !name.isEmpty, name != ".", name != "..", !name.contains("/") else { return nil }
        return directory + "/" + name
    }

    /// The credential with this name, without trailing line breaks and spaces. Nil if systemd gave none.
    ///
    /// The mode is not checked, because systemd protects the directory itself (0500, and 0400 for each file).
    /// - Throws: All codes of `SystemdError` except `missing` and `worldReadable`.
    package func read(_ name: String) throws(SystemdError) -> Secret? {
        guard let path = path(of: name) else { return nil }
        do throws(SystemdError) {
            return try Self.read(path, limit: Self.largestSecret, mayBeWorldReadable: true)
        } catch {
            if error.code == .missing { return nil }
            throw error
        }
    }

    /// The text of a key file, without trailing line breaks and spaces. Others must not be able to change it
    /// (`ProtectedFile`). It may be readable by its group, but not by everyone.
    package static func readKeyFile(_ path: String) throws(SystemdError) -> Secret {
        let file = try ProtectedFile(reading: path, limit: largestSecret)
        guard !file.isWorldReadable else { throw SystemdError(.worldReadable, path) }
        return file.content
    }

    /// The text of a file, without trailing line breaks and spaces.
    ///
    /// - Parameters:
    ///   - limit: The largest size, in bytes.
    ///   - mayBeWorldReadable: False refuses a file that every user of the machine can read.
    package static func readText(_ path: String, limit: Int, mayBeWorldReadable: Bool) throws(SystemdError) -> String {
        try read(path, limit: limit, mayBeWorldReadable: mayBeWorldReadable).text
    }

    private static func read(_ path: String, limit: Int, mayBeWorldReadable: Bool) throws(SystemdError) -> Secret {
        // O_NONBLOCK: opening a FIFO would otherwise block without end.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw SystemdError(opening: path, cause: errno) }
        defer { close(file) }
        // The open file is checked, because the path may name another file by now.
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw SystemdError(.unreadable, path, cause: errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw SystemdError(.notAFile, path) }
        guard mayBeWorldReadable || facts.st_mode & 0o004 == 0 else { throw SystemdError(.worldReadable, path) }
        return try readAll(file, path, limit)
    }

    /// The text of an open file, without trailing line breaks and spaces. What was read is overwritten.
    static func readAll(_ file: Int32, _ path: String, _ limit: Int) throws(SystemdError) -> Secret {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + 1, alignment: 1)
        var count = 0
        defer {
            Secret.cleanse(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            buffer.deallocate()
        }
        while count < buffer.count {
            let got = Glibc.read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw SystemdError(.unreadable, path, cause: errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= limit else { throw SystemdError(.tooLarge, path, limit: limit) }
        let whole = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        guard isText(whole) else { throw SystemdError(.notText, path) }
        let last = whole.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: " ") }
        guard let last else { throw SystemdError(.empty, path) }
        return Secret(UnsafeRawBufferPointer(rebasing: whole[...last]))
    }

    /// Whether the bytes are UTF-8 without a zero. A `String` would be a copy.
    private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        while true {
            switch decoder.decode(&rest) {
            case .scalarValue("\0"), .error: return false
            case .scalarValue: continue
            case .emptyInput: return true
            }
        }
    }
}
