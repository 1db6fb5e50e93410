import Glibc

/// Processor time of other processes, from /proc/PID/stat (proc(5)).
enum ProcessTimes {
    /// Processor seconds (user and system) of this process and its children, including children that ended.
    static func seconds(ofTree root: Int32) -> Double {
        guard let folder = opendir("/proc") else { return 0 }
        defer { closedir(folder) }
        var ticks = 0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let id = Int32(name), let stat = Stat(of: id), id == root || stat.parent == root else { continue }
            ticks += stat.ticks + (id == root ? stat.endedChildren : 0)
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private struct Stat {
        let parent: Int32
        let ticks: Int
        let endedChildren: Int

        init?(of id: Int32) {
            // The name in parentheses may have any characters. After the last parenthesis there are only numbers.
            guard let text = try? BenchFile.read("/proc/\(id)/stat"), let end = text.lastIndex(of: ")") else {
                return nil
            }
            let fields = text[text.index(after: end)...].split(separator: " ")
            let times = fields.dropFirst(11).prefix(4).compactMap { Int($0) }
            guard times.count == 4, let parent = Int32(fields[1]) else { return nil }
            self.parent = parent
            ticks = times[0] + times[1]
            endedChildren = times[2] + times[3]
        }
    }
}
