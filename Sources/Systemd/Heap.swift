import CLinux

/// The C library's heap.
public enum Heap {
    /// glibc gives threads that allocate at the same moment arenas of their own, up to eight for each core, and what is freed in one is used in no other:
    /// a sweep, which goes from thread to thread, would hold its memory once for each (mallopt(3), M_ARENA_MAX). Two are enough: the sweep's, and the
    /// senders'. To be called before there are threads.
    public static func limitArenas() { mallopt(M_ARENA_MAX, 2) }
}
