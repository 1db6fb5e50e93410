import Base
import Glibc
import LocalPostgres

struct ProcessUsage {
    let seconds: Double
    /// The largest resident set so far, in KiB.
    let maxResidentKilobytes: Int

    static func now() -> ProcessUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return ProcessUsage(seconds: seconds, maxResidentKilobytes: usage.ru_maxrss)
    }

    /// Processor seconds (user and system) of another process and its children, including children that ended, from
    /// /proc/PID/stat (proc(5)).
    static func seconds(ofTree root: Int32) -> Double {
        let processes = ProcessTable.all().filter { $0.id == root || Int32($0.fields[1]) == root }
        // User and system time, then those of ended children.
        let ticks = processes.flatMap { $0.fields[11..<($0.id == root ? 15 : 13)] }.reduce(0) { $0 + (Int($1) ?? 0) }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

func monotonicSeconds() -> Double { Double(MonotonicTime.microseconds()) / 1e6 }

extension Double {
    func text(_ decimals: Int) -> String {
        let scale = pow(10, Double(decimals))
        let value = (self * scale).rounded() / scale
        return decimals == 0 ? "\(Int(value))" : "\(value)"
    }
}
