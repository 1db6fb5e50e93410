import CNGHTTP2
import Glibc

/// The memory of one nghttp2 session. It keeps freed blocks and uses them again.
///
/// nghttp2 allocates six or seven small blocks for each request (stream, frame, fields, reference-counted values). With
/// hundreds of open streams the general allocator's blocks are scattered. Here a block is a pointer that is taken from
/// a list and put back.
///
/// The pointers need no lock: only one thread uses a session. Its owner frees this only after `nghttp2_session_del`,
/// which frees every block.
struct SessionMemory: ~Copyable {
    /// Sizes are rounded up to a multiple of this. Each multiple has its own list.
    private static let step = 64
    #if SANITIZE_ADDRESS
        // No lists: every block has its exact size and goes back to malloc. AddressSanitizer can't check blocks that
        // are kept.
        private static let lists = 0
    #else
        private static let lists = 32
    #endif
    /// The bytes before each block: its list or -1, and its capacity. 16 bytes keep the block aligned as malloc's
    /// blocks are.
    private static let header = 16

    /// The heads of the lists. The first word of a free block points to the next one.
    private typealias Lists = UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let free: Lists
    /// The functions for a new session. nghttp2 copies them.
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
        // The capacity, for `resize`.
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
