import Glibc
import Service
import TestSupport
import Testing

@testable import Operator

@Suite final class ReportFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    deinit { folder.remove() }

    @Test func write_whenThereIsNone_makesItForEverybodyToRead() throws {
        try ReportFile("\(folder.path)/a.html").write("one")
        var status = stat()
        #expect(stat("\(folder.path)/a.html", &status) == 0)
        #expect(try folder.text("a.html") == "one" && folder.names == ["a.html"])
        let mask = umask(0o022)
        umask(mask)
        #expect(status.st_mode & 0o777 == 0o644 & ~mask)
    }

    @Test func write_whenTheOldOneIsClosedToOthers_staysClosed() throws {
        try ReportFile("\(folder.path)/a.html").write("one")
        chmod("\(folder.path)/a.html", 0o600)
        try ReportFile("\(folder.path)/a.html").write("two")
        var status = stat()
        #expect(stat("\(folder.path)/a.html", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try folder.text("a.html") == "two")
    }

    @Test func write_whenThereIsOne_takesItsPlace_alsoThroughALink() throws {
        try ReportFile("\(folder.path)/a.html").write("one")
        symlink("a.html", "\(folder.path)/link.html")
        try ReportFile("\(folder.path)/link.html").write("two")
        var status = stat()
        #expect(lstat("\(folder.path)/link.html", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(try folder.text("a.html") == "two")
    }

    @Test func write_whenSomethingElseHasTheName_refusesAndLeavesIt() throws {
        mkdir("\(folder.path)/sub", 0o755)
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
