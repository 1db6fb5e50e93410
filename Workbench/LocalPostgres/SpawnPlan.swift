import CLinux
import Glibc

import class FoundationEssentials.ProcessInfo

/// The arguments of posix_spawn. None of our code runs between fork and exec.
struct SpawnPlan {
    let arguments: [String]
    /// nil takes this process's.
    let environment: [String: String]?
    let folder: String?
    let ownSession: Bool

    /// `streams`: input, output and error, each with the file that captures it (-1: not captured).
    func spawn(_ streams: [(stream: ChildProcess.Stream, file: Int32)]) throws(LocalPostgresError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var opened: [Int32] = []
        defer { opened.forEach { close($0) } }
        for (target, (stream, file)) in streams.enumerated() {
            let source = try Self.descriptor(stream, standard: Int32(target), file)
            opened.append(source)
            posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
        return try spawn(&actions)
    }

    private func spawn(_ actions: inout posix_spawn_file_actions_t) throws(LocalPostgresError) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child gets no blocked or ignored signal. Dispatch and test runners block and ignore some.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        if ownSession { flags |= Int32(nudged_spawn_setsid) }
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let argv = arguments.map { strdup($0) } + [nil]
        let variables = environment ?? ProcessInfo.processInfo.environment
        let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var id: pid_t = 0
        guard let program = argv[0] else { throw LocalPostgresError(.spawnFailed, "no program") }
        let failure = posix_spawnp(&id, program, &actions, &attributes, argv, envp)
        guard failure == 0 else {
            throw LocalPostgresError(.spawnFailed, "\(arguments[0]): \(String(cString: strerror(failure)))")
        }
        return id
    }

    /// A descriptor of at least 3, closed on exec. So no target overwrites a source that is still needed.
    private static func descriptor(
        _ stream: ChildProcess.Stream,
        standard: Int32,
        _ file: Int32
    ) throws(LocalPostgresError) -> Int32 {
        let flags = (standard == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND) | O_CLOEXEC
        let (source, isOurs): (Int32, Bool) =
            switch stream {
            case .null: (open("/dev/null", O_RDWR | O_CLOEXEC), true)
            case .file(let path): (open(path, flags, 0o600), true)
            case .inherited: (standard, false)
            case .descriptor(let given): (given, false)
            case .captured: (file, false)
            }
        guard source >= 0 else { throw .system("\(stream)") }
        defer { if isOurs { close(source) } }
        let copy = fcntl(source, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .system("\(stream)") }
        return copy
    }
}
