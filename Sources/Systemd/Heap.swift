import CLinux

/// The C library's heap.
public enum Heap {
    /// Limits glibc's heap to two arenas: one for the sweep and one for the senders. Call this before threads start.
    ///
    /// By default glibc makes up to eight arenas for each core, and each keeps what was freed in it (mallopt(3),
    /// M_ARENA_MAX). A sweep moves between threads, so it would hold its memory once in each arena.
    public static func limitArenas() { mallopt(M_ARENA_MAX, 2) }

    /// Gives free memory back to the system (malloc_trim(3)). It takes a few milliseconds.
    public static func giveBack() { malloc_trim(0) }
}
