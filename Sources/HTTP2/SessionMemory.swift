import CNGHTTP2
import Glibc

/// The memory of one nghttp2 session: blocks that it gave back are kept and handed out again.
///
/// nghttp2 allocates six or seven small blocks a request (stream, frame, fields, reference-counted values). With hundreds of streams open
/// the general allocator finds them in no order; here each is a pointer taken from a list and put back.
///
/// What guards the pointers: a session is used on one thread, and its owner lets go of this only after `nghttp2_session_del`, which gives
/// every block back.
struct SessionMemory: ~Copyable {
    /// Sizes are rounded up to so many bytes; the lists are one for each multiple.
    private static let step = 64
    #if SANITIZE_ADDRESS
        // None: every block at its own size and back to malloc. AddressSanitizer sees nothing wrong in a block that is kept for the next.
        private static let lists = 0
    #else
        private static let lists = 32
    #endif
    /// Before each block: its list, or -1. 16 bytes, so that the block is aligned as malloc's are.
    private static let header = 16

    /// The heads of the lists; a free block's first word is the next one.
    private typealias Lists = UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let free: Lists
    /// What a session is made with; nghttp2 copies it.
    private(set) var functions: nghttp2_mem

    init() {
        free = .allocate(capacity: Self.lists)
        free.initialize(repeating: nil, count: Self.lists)
        functions = nghttp2_mem(
            mem_user_data: UnsafeMutableRawPointer(free),
            malloc: { SessionMemory.allocate($0, $1) },
            free: { SessionMemory.release($0, $1) },
            calloc: { SessionMemory.allocateZeroed($0, $1, $2) },
            realloc: { SessionMemory.resize($0, $1, $2) }
        )
    }

    deinit {
        for list in 0..<Self.lists {
            while let block = free[list] {
                free[list] = block.load(as: UnsafeMutableRawPointer?.self)
                Glibc.free(block - Self.header)
            }
        }
        free.deallocate()
    }

    private static func heads(_ context: UnsafeMutableRawPointer) -> Lists {
        context.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    private static func allocate(_ size: Int, _ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context, size >= 0, size < Int.max / 2 else { return nil }
        let list = size == 0 ? 0 : (size - 1) / step
        if list < lists, let block = heads(context)[list] {
            heads(context)[list] = block.load(as: UnsafeMutableRawPointer?.self)
            return block
        }
        let room = list < lists ? (list + 1) * step : size
        guard let memory = Glibc.malloc(header + room) else { return nil }
        memory.storeBytes(of: list < lists ? list : -1, as: Int.self)
        // How much fits, for realloc.
        memory.storeBytes(of: room, toByteOffset: 8, as: Int.self)
        return memory + header
    }

    private static func release(_ block: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?) {
        guard let block, let context else { return }
        let list = (block - header).load(as: Int.self)
        guard list >= 0 else { return Glibc.free(block - header) }
        block.storeBytes(of: heads(context)[list], as: UnsafeMutableRawPointer?.self)
        heads(context)[list] = block
    }

    private static func allocateZeroed(
        _ count: Int,
        _ size: Int,
        _ context: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        let (total, overflows) = count.multipliedReportingOverflow(by: size)
        guard !overflows, let block = allocate(total, context) else { return nil }
        memset(block, 0, total)
        return block
    }

    private static func resize(
        _ block: UnsafeMutableRawPointer?,
        _ size: Int,
        _ context: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        guard let block else { return allocate(size, context) }
        let room = (block - header).load(fromByteOffset: 8, as: Int.self)
        if size <= room { return block }
        guard let larger = allocate(size, context) else { return nil }
        memcpy(larger, block, room)
        release(block, context)
        return larger
    }
}
