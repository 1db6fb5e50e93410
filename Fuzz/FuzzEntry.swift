import Dispatch
import Glibc

// libFuzzer calls us for each input. NUDGED_FUZZ_TARGET names the target. With NUDGED_FUZZ_SEEDS the first inputs are
// written to that folder instead.

/// Runs before the first input: checks the target's name, or writes the seeds.
private func begin() {
    if target == nil {
        say("NUDGED_FUZZ_TARGET is to be one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))\n")
        exit(64)
    }
    if let folder = getenv("NUDGED_FUZZ_SEEDS"), let target {
        Seeds.write(target, to: String(cString: folder))
        exit(0)
    }
}

/// Called for each input. Returns -1 if the input is not worth keeping.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let target else { return -1 }
    let input = UnsafeRawBufferPointer(start: start, count: count)
    let before = processorTime()
    let result = target.atOnce?(input) ?? finished(target, Array(input))
    let time = processorTime() - before
    require(time < mostTime, "it takes \(time) s")
    return result
}

private let target = getenv("NUDGED_FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

/// The most seconds of processor time for an input. One that takes longer shows a loop that is not linear.
private let mostTime = 5.0

private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Runs an asynchronous target to its end. libFuzzer's thread waits.
private func finished(_ target: FuzzTarget, _ input: [UInt8]) -> Int32 {
    let end = RunEnd()
    Task {
        end.result = await target.run(input)
        end.signal.signal()
    }
    end.signal.wait()
    return end.result
}

/// `@unchecked Sendable`: `result` is written before the signal and read after it.
private final class RunEnd: @unchecked Sendable {
    let signal = DispatchSemaphore(value: 0)
    var result: Int32 = -1
}

/// Ends the process if an invariant does not hold, so that libFuzzer keeps the input.
func require(_ holds: Bool, _ text: @autoclosure () -> String) {
    guard !holds else { return }
    say("broken: \(text())\n")
    abort()
}

private func say(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// libFuzzer's entry point for programs with their own `main`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argc: UnsafeMutablePointer<Int32>,
    _ argv: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// `main`, with the name that SwiftPM links for this executable.
@_cdecl("nudged_fuzz_main")
public func fuzzerMain(_ argc: Int32, _ argv: UnsafeMutableRawPointer?) -> Int32 {
    var argc = argc
    var argv = argv
    begin()
    return runDriver(&argc, &argv) { fuzzerTestOneInput($0, $1) }
}
