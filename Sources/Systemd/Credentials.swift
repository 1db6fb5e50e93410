package import Base
package import Glibc

/// Reads secrets from files: systemd's credentials (`LoadCredential=`) and files that the configuration names.
package struct Credentials: Sendable {
    /// The largest secret, in bytes. A secret is a key or a URL, so a larger file was named by mistake.
    package static let largestSecret = 65_536

    package let directory: String?

    /// - Parameter environment: Only `CREDENTIALS_DIRECTORY` is read.
    package init(environment: [String: String]) {
        directory = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
    }

    package func path(of name: String) -> String? {
        guard let directory, !name.isEmpty, name != ".", name != "..", !name.contains("/") else { return nil }
        return directory + "/" + name
    }

    /// The credential with this name, without trailing line breaks and spaces. Nil if systemd gave none. Its mode is
    /// not checked, because systemd protects the directory itself (0500, and 0400 for each file).
    /// - Throws: All codes of `SystemdError` except `missing` and `worldReadable`.
    package func read(_ name: String) throws(SystemdError) -> Secret? {
        guard let path = path(of: name) else { return nil }
        do throws(SystemdError) {
            return try Self.read(path, limit: Self.largestSecret)
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

    /// The text of a file, without trailing line breaks and spaces. `limit`: The largest size, in bytes.
    package static func readText(_ path: String, limit: Int) throws(SystemdError) -> String {
        try read(path, limit: limit).text
    }

    private static func read(_ path: String, limit: Int) throws(SystemdError) -> Secret {
        // O_NONBLOCK: opening a FIFO would otherwise block without end.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw SystemdError(opening: path, cause: errno) }
        defer { close(file) }
        // The open file is checked, because the path may name another file by now.
        let facts = try ProtectedFile.facts(file, path)
        guard facts.st_mode & S_IFMT == S_IFREG else { throw SystemdError(.notAFile, path) }
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

/// A secret or another file that can't be read: what is wrong, where, and the remedy. It never holds the secret.
package struct SystemdError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        case missing, unreadable, notAFile, worldReadable, tooLarge, empty, notText, writable, replaceable
        /// It, or one of its folders, belongs to neither root nor the user who runs this process.
        case foreign, foreignFolder
    }

    package let code: Code
    package let problem: String
    package let remedy: String

    /// `cause`: errno, if the system refused it. `folder`: the folder that others can change. `facts`: the folder's or
    /// the file's.
    init(_ code: Code, _ path: String, cause: Int32? = nil, limit: Int = 0, folder: String = "", facts: stat = stat()) {
        self.code = code
        let (mode, owner) = (Self.octal(facts.st_mode), facts.st_uid)
        let (others, replaced) = ("neither root nor the user who runs nudged", "\(path) can be replaced by")
        let (chmod, chown) = ("check its content, then chmod go-w", "check its content, then chown root")
        let place =
            path.hasPrefix("/run/nudged-apple/")
            ? "start nudged-apple, the simulated Apple" : "put the file there, or give the right path"
        let texts: (problem: String, remedy: String) =
            switch code {
            case .missing: ("\(path) does not exist", place)
            case .unreadable:
                (
                    "\(path) can't be read" + (cause.map { " (\(String(cString: strerror($0))))" } ?? ""),
                    "run nudged as a user who may read it; a configuration without secrets may have mode 644; "
                        + "a service's secrets belong in /etc/nudged/credentials"
                )
            case .notAFile: ("\(path) is not a regular file", "give the path of a file")
            case .worldReadable: ("\(path) is readable by every user of this machine", "chmod 600 \(path)")
            case .tooLarge: ("\(path) is larger than \(limit) bytes", "give the path of the right file")
            case .empty: ("\(path) is empty", "write the value into the file")
            case .notText: ("\(path) is not UTF-8 text", "store it as text; a key as PEM")
            case .writable: ("\(path) can be changed by others than its owner (mode \(mode))", "\(chmod) \(path)")
            case .replaceable: ("\(replaced) others: the folder \(folder) has mode \(mode)", "\(chmod) \(folder)")
            case .foreign: ("\(path) belongs to user \(owner), who is \(others)", "\(chown) \(path)")
            case .foreignFolder:
                ("\(replaced) user \(owner), who owns the folder \(folder) and is \(others)", "\(chown) \(folder)")
            }
        (problem, remedy) = texts
    }

    /// The file can't be opened: `cause` is errno.
    init(opening path: String, cause: Int32) {
        self.init(cause == ENOENT || cause == ENOTDIR ? .missing : .unreadable, path, cause: cause)
    }

    package var exitStatus: ExitStatus {
        switch code {
        case .unreadable, .worldReadable, .writable, .replaceable, .foreign, .foreignFolder: .permission
        case .missing, .notAFile, .tooLarge, .empty, .notText: .configuration
        }
    }

    /// `0664`.
    package static func octal(_ mode: mode_t) -> String {
        let digits = String(mode & 0o7777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    package var description: String { "\(problem): \(remedy)" }
}
