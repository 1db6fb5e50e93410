import Glibc

/// A secret or another file that can't be read: what is wrong, where, and the remedy. It never holds the secret.
package struct SystemdError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with the file.
    package enum Code: Sendable {
        case missing, unreadable, notAFile
        /// Every user of the machine can read it.
        case worldReadable
        case tooLarge, empty, notText
        /// Others than its owner can write to it.
        case writable
        /// Others than its owner can write to one of its folders.
        case replaceable
        /// It, or one of its folders, belongs to neither root nor the user who runs this process.
        case foreign, foreignFolder
    }

    package let code: Code
    private let path: String
    /// The system's text for the error, if there is one.
    private let cause: String?
    /// The largest allowed size in bytes.
    private let limit: Int
    /// The file or the folder that others can write to, or the file that belongs to somebody else.
    private let guarded: Guarded?

    /// What protects a file or a folder.
    struct Guarded: Sendable, Equatable {
        let path: String
        let mode: mode_t
        let owner: uid_t
    }

    init(_ code: Code, _ path: String, cause: Int32? = nil, limit: Int = 0, guarded: Guarded? = nil) {
        self.code = code
        self.path = path
        self.cause = cause.map { String(cString: strerror($0)) }
        self.limit = limit
        self.guarded = guarded
    }

    /// The file can't be opened: `cause` is errno.
    init(opening path: String, cause: Int32) {
        self.init(cause == ENOENT || cause == ENOTDIR ? .missing : .unreadable, path, cause: cause)
    }

    /// The exit status of a command that needs the file.
    package var exitStatus: ExitStatus {
        switch code {
        case .unreadable, .worldReadable, .writable, .replaceable, .foreign, .foreignFolder: .permission
        case .missing, .notAFile, .tooLarge, .empty, .notText: .configuration
        }
    }

    /// What is wrong, as a sentence.
    package var problem: String {
        let detail = cause.map { " (\($0))" } ?? ""
        return switch code {
        case .missing: "\(path) does not exist"
        case .unreadable: "\(path) can't be read\(detail)"
        case .notAFile: "\(path) is not a regular file"
        case .worldReadable: "\(path) is readable by every user of this machine"
        case .tooLarge: "\(path) is larger than \(limit) bytes"
        case .empty: "\(path) is empty"
        case .notText: "\(path) is not UTF-8 text"
        case .writable: "\(path) can be changed by others than its owner (mode \(modeText))"
        case .replaceable:
            "\(path) can be replaced by others: the folder \(guarded?.path ?? "") has mode \(modeText)"
        case .foreign:
            "\(path) belongs to user \(guarded?.owner ?? 0), who is neither root nor the user who runs nudged"
        case .foreignFolder:
            "\(path) can be replaced by user \(guarded?.owner ?? 0), who owns the folder \(guarded?.path ?? "") and is "
                + "neither root nor the user who runs nudged"
        }
    }

    /// `0664`.
    private var modeText: String {
        let digits = String((guarded?.mode ?? 0) & 0o7777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// What to do about it.
    package var remedy: String {
        switch code {
        case .missing: "put the file there, or give the right path"
        case .unreadable:
            "run nudged as a user who may read it; a configuration without secrets may have mode 644; "
                + "a service's secrets belong in /etc/nudged/credentials"
        case .notAFile: "give the path of a file"
        case .worldReadable: "chmod 600 \(path)"
        case .tooLarge: "give the path of the right file"
        case .empty: "write the value into the file"
        case .notText: "store it as text; a key as PEM"
        case .writable: "check its content, then chmod go-w \(path)"
        case .replaceable: "check its content, then chmod go-w \(guarded?.path ?? "")"
        case .foreign: "check its content, then chown root \(path)"
        case .foreignFolder: "check its content, then chown root \(guarded?.path ?? "")"
        }
    }

    /// The problem and the remedy in one line.
    package var description: String { "\(problem): \(remedy)" }
}
