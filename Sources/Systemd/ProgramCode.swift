import CLinux

/// The program's own code as the kernel holds it for this process.
public enum ProgramCode {
    /// Gives back what only the start ran: some megabytes of option parsing, configuration and connecting, which would count as resident until the
    /// kernel is short of memory. What goes on running is mapped again at its next use, from the kernel's cache, a few microseconds in all.
    public static func dropUnused() { nudged_drop_code() }
}
