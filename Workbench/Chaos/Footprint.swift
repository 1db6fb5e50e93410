import Glibc

/// Memory and descriptors of this process at one instant.
public struct Footprint: Sendable, Equatable {
    /// KiB of resident memory (/proc/self/statm).
    public let residentKilobytes: Int
    /// Open descriptors (/proc/self/fd).
    public let descriptors: Int

    /// A footprint with these numbers.
    public init(residentKilobytes: Int, descriptors: Int) {
        self.residentKilobytes = residentKilobytes
        self.descriptors = descriptors
    }

    static func now() -> Footprint {
        Footprint(residentKilobytes: resident(), descriptors: descriptorCount())
    }

    private static func resident() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = fread(&text, 1, text.count, file)
        let words = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { return 0 }
        return pages * sysconf(Int32(_SC_PAGESIZE)) / 1_024
    }

    private static func descriptorCount() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without ".", ".." and the descriptor of the folder itself.
        return count - 3
    }
}
