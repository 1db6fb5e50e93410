import CLinux

/// The program's own code in this process's memory.
public enum ProgramCode {
    /// Frees the code that only the start needed: some megabytes of option parsing, configuration and connecting. It
    /// would stay resident until the kernel needs memory. The other code is mapped again at its next use, from the
    /// kernel's cache, within microseconds.
    public static func dropUnused() { nudged_drop_code() }
}
