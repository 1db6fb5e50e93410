import Glibc
import Service
import Testing

@testable import Operator

@Suite struct ReportFileTests {
    private final class Folder {
        let path: String
        init() {
            var template = Array("/tmp/nudged-report-XXXXXX".utf8CString)
            mkdtemp(&template)
            path = template.withUnsafeBufferPointer {
                String(decoding: $0.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }
        deinit { for name in names { remove("\(path)/\(name)") }; rmdir(path) }
        var names: [String] {
            guard let folder = opendir(path) else { return [] }
            defer { closedir(folder) }
            var names: [String] = []
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != "." && name != ".." { names.append(name) }
            }
            return names.sorted()
        }
        func text(_ name: String) -> String {
            guard let file = fopen("\(path)/\(name)", "r") else { return "" }
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            return String(decoding: buffer[..<fread(&buffer, 1, 4096, file)], as: UTF8.self)
        }
    }

    @Test func write_whenThereIsNone_makesItForEverybodyToRead() throws {
        let folder = Folder()
        try ReportFile("\(folder.path)/a.html").write("one")
        var status = stat()
        #expect(stat("\(folder.path)/a.html", &status) == 0)
        #expect(folder.text("a.html") == "one" && folder.names == ["a.html"])
        let mask = umask(0o022)
        umask(mask)
        #expect(status.st_mode & 0o777 == 0o644 & ~mask)
    }

    @Test func write_whenTheOldOneIsClosedToOthers_staysClosed() throws {
        let folder = Folder()
        try ReportFile("\(folder.path)/a.html").write("one")
        chmod("\(folder.path)/a.html", 0o600)
        try ReportFile("\(folder.path)/a.html").write("two")
        var status = stat()
        #expect(stat("\(folder.path)/a.html", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(folder.text("a.html") == "two")
    }

    @Test func write_whenThereIsOne_takesItsPlace_alsoThroughALink() throws {
        let folder = Folder()
        try ReportFile("\(folder.path)/a.html").write("one")
        symlink("a.html", "\(folder.path)/link.html")
        try ReportFile("\(folder.path)/link.html").write("two")
        var status = stat()
        #expect(lstat("\(folder.path)/link.html", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(folder.text("a.html") == "two")
    }

    @Test func write_whenSomethingElseHasTheName_refusesAndLeavesIt() {
        let folder = Folder()
        mkdir("\(folder.path)/sub", 0o755)
        defer { rmdir("\(folder.path)/sub") }
        for (path, why) in [
            ("\(folder.path)/sub", ": \(folder.path)/sub is a folder; name a file in it"),
            ("/dev/null", ": /dev/null is not a regular file; --html - writes to standard output"),
            ("\(folder.path)/none/a", " to \(folder.path)/none/a: No such file or directory"),
        ] {
            let failure = CommandFailure("the report can't be written\(why)", .ioError)
            #expect(throws: failure) { try ReportFile(path).write("x") }
        }
        #expect(folder.names == ["sub"])
    }
}
