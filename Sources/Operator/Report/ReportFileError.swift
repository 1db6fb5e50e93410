import Glibc

/// A report that can't be written.
package struct ReportFileError: Error, Equatable, CustomStringConvertible {
    enum Cause: Equatable {
        /// A folder has this name.
        case folder
        /// Nor is it a regular file: a device, a pipe, a socket.
        case noFile
        /// An errno.
        case system(Int32)
    }

    let path: String
    let cause: Cause

    /// What happened to which file, and what to do.
    package var description: String {
        switch cause {
        case .folder: "the report can't be written: \(path) is a folder; name a file in it"
        case .noFile: "the report can't be written: \(path) is no file; --html - writes to standard output"
        case .system(let number): "the report can't be written to \(path): \(String(cString: strerror(number)))"
        }
    }
}
