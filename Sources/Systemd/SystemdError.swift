import Glibc

/// A secret or another file that can't be read: what is wrong, where, and the mend. It never holds the secret.
public struct SystemdError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the file.
    public enum Code: String, Sendable, CaseIterable {
        /// No file of that name.
        case missing
        /// The process may not read it, or reading it failed.
        case unreadable
        /// The name is that of a directory, a device or a socket.
        case notAFile
        /// Every user of the machine can read it.
        case worldReadable
        /// Larger than a secret is.
        case tooLarge
        /// Nothing, or only white space, is in it.
        case empty
        /// Its bytes are no UTF-8 text, or hold a zero.
        case notText
    }

    /// What is wrong.
    public let code: Code
    /// The file.
    public let path: String
    /// The system's word for it, where there is one.
    public let cause: String?
    /// The size in bytes that it may have.
    private let limit: Int

    init(_ code: Code, _ path: String, cause: Int32? = nil, limit: Int = 0) {
        self.code = code
        self.path = path
        self.cause = cause.map { String(cString: strerror($0)) }
        self.limit = limit
    }

    /// How a command that needs the secret ends.
    public var exitStatus: ExitStatus {
        switch code {
        case .unreadable, .worldReadable: .permission
        case .missing, .notAFile, .tooLarge, .empty, .notText: .configuration
        }
    }

    /// What is wrong, in words.
    public var problem: String {
        let detail = cause.map { " (\($0))" } ?? ""
        return switch code {
        case .missing: "\(path) does not exist"
        case .unreadable: "\(path) can't be read\(detail)"
        case .notAFile: "\(path) is not a regular file"
        case .worldReadable: "\(path) is readable by every user of this machine"
        case .tooLarge: "\(path) is larger than \(limit) bytes"
        case .empty: "\(path) is empty"
        case .notText: "\(path) is not UTF-8 text"
        }
    }

    /// What to do about it.
    public var mend: String {
        switch code {
        case .missing: "put the file there, or name the right path"
        case .unreadable:
            "let the user that nudged runs as read it: a configuration without secrets may be everyone's (chmod 644 \(path)); of a service, secrets belong into /etc/nudged/credentials"
        case .notAFile: "name the file itself"
        case .worldReadable: "chmod 600 \(path)"
        case .tooLarge: "name the right file"
        case .empty: "write it into the file"
        case .notText: "store it as text; a key as PEM"
        }
    }

    /// Problem and mend in one line.
    public var description: String { "\(problem): \(mend)" }
}
