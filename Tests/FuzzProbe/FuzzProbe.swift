import Foundation

/// The target that the variable `FUZZ_TARGET` names. libFuzzer, which has the function main, calls the functions below.
private let target = FuzzTarget.all.first { $0.name == ProcessInfo.processInfo.environment["FUZZ_TARGET"] }

/// Called once. Without a target, lists all of them and ends the process.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutablePointer<Int32>, _: UnsafeMutableRawPointer) -> Int32 {
    guard target == nil else { return 0 }
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    exit(64)
}

/// Called for each input.
@_cdecl("LLVMFuzzerTestOneInput")
func read(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
    try? target?.read(bytes.map { Data(bytes: $0, count: count) } ?? Data())
    return 0
}
