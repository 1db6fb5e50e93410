import Glibc

/// Time and memory that this process has used (getrusage(2)).
struct ProcessUsage {
    /// Processor seconds, user and system.
    let seconds: Double
    /// The largest resident set so far, in KiB.
    let maxResidentKilobytes: Int

    static func now() -> ProcessUsage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return ProcessUsage(seconds: seconds, maxResidentKilobytes: usage.ru_maxrss)
    }
}

/// Seconds of CLOCK_MONOTONIC.
func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

extension Double {
    /// With this many decimals, for JSON.
    func text(_ decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let value = (self * scale).rounded() / scale
        return decimals == 0 ? "\(Int(value))" : "\(value)"
    }
}
