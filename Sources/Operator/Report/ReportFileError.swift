import Glibc

/// Why a report can't be written.
package struct ReportFileError: Error, Equatable, CustomStringConvertible {
    enum Cause: Equatable {
        /// The path is a folder.
        case folder
        /// The path is neither a folder nor a regular file: a device, a pipe or a socket.
        case noFile
        /// The system's error number (errno).
        case system(Int32)
    }

    let path: String
    let cause: Cause

    /// What happened, and to which file.
    package var description: String {
        switch cause {
        case .folder: "the report can't be written: \(path) is a folder; name a file in it"
        case .noFile: "the report can't be written: \(path) is not a regular file; --html - writes to standard output"
        case .system(let number): "the report can't be written to \(path): \(String(cString: strerror(number)))"
        }
    }
}
