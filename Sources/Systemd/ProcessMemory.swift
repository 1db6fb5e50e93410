import CLinux

/// This process's memory, which holds keys and passwords.
public enum ProcessMemory {
    /// Lets no other process of this user read the memory (ptrace(2), /proc/PID/mem), and forbids core dumps. Call this
    /// before secrets are read. Root can still read everything.
    public static func hide() { _ = nudged_forbid_dumps() }
}
