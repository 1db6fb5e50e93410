import CLinux
import Glibc

/// A memory file that can't change any more. An entry that is too large for a datagram goes to journald this way.
struct SealedMemory: ~Copyable {
    let descriptor: Int32

    /// Nil if the kernel has no memory or no descriptor left.
    init?(_ bytes: [UInt8]) {
        // MFD_CLOEXEC, MFD_ALLOW_SEALING
        let file = nudged_memfd_create("nudged-journal-entry", 1 | 2)
        guard file >= 0 else { return nil }
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes {
                write(file, $0.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else {
                close(file)
                return nil
            }
            offset += written
        }
        // F_ADD_SEALS (a macro that Swift doesn't import) with F_SEAL_SEAL, SHRINK, GROW and WRITE. journald refuses a
        // memfd with fewer.
        guard fcntl(file, 1033, 1 | 2 | 4 | 8) == 0 else {
            close(file)
            return nil
        }
        descriptor = file
    }

    deinit { close(descriptor) }
}
