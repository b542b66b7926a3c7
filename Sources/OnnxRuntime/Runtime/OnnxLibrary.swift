import COnnxRuntime
import Foundation
import TensorFlowLite

/// The ONNX Runtime library, opened once per process by the first model that needs it, and the one environment that all models share.
///
/// Sendable: `functions` is a constant value; `environment` and `memory` are handles that are created before the object is published and
/// never released. The library allows calls with them from several threads at the same time.
package final class OnnxLibrary: Sendable {
    let functions: OnnxFunctions
    /// The file.
    package let path: String
    /// The library's own version, for example "1.32.0".
    package let version: String
    nonisolated(unsafe) let environment: OpaquePointer
    /// The description of memory that the package owns.
    nonisolated(unsafe) let memory: OpaquePointer

    private static let result = Result { () throws(OnnxRuntimeError) in
        try open(.ofProcess(for: .onnxRuntime, version: release))
    }

    /// The version that the package is tested with.
    package static let release = RuntimeRelease.onnxRuntime.first?.version ?? "unknown"

    /// The library, opened by the first call. If that fails, every later call in the process throws the same error.
    package static func shared() throws(OnnxRuntimeError) -> OnnxLibrary { try result.get() }

    /// Opens the first candidate that exists.
    package static func open(_ search: RuntimeSearch) throws(OnnxRuntimeError) -> OnnxLibrary {
        for candidate in search.candidates where candidate.isUsable {
            do throws(OnnxRuntimeError) {
                return try OnnxLibrary(candidate.path, remedy: search.remedy)
            } catch .libraryNotLoadable where candidate.path == RuntimeProduct.onnxRuntime.fileName {
                // The search of the system found no library.
                break
            }
        }
        throw .libraryNotFound(searched: search.candidates.map(\.path), remedy: search.remedy)
    }

    private init(_ path: String, remedy: String) throws(OnnxRuntimeError) {
        let table = UnsafeMutablePointer<OnnxFunctions>.allocate(capacity: 1)
        defer { table.deallocate() }
        var characters = [CChar](repeating: 0, count: 1024)
        let result = onnx_load(path, table, &characters, characters.count)
        let text = String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        switch result {
        case OnnxLoaded: break
        case OnnxLoadTooOld: throw .tooOld(path: path, version: text, remedy: remedy)
        case OnnxLoadMissingSymbol:
            throw .libraryNotLoadable(path: path, reason: "it has no function \(text)", remedy: remedy)
        default: throw .libraryNotLoadable(path: path, reason: text, remedy: remedy)
        }
        functions = table.pointee
        self.path = path
        version = text
        var environment: OpaquePointer?
        try Self.check(functions.CreateEnv(Int32(kOnnxSeverityFatal), "sightline", &environment), functions, "start")
        guard let environment else { throw .callFailed(operation: "start", reason: "there is no environment") }
        self.environment = environment
        try Self.check(functions.DisableTelemetryEvents(environment), functions, "turn telemetry off")
        memory = try Self.memoryInfo(functions, Int32(kOnnxAllocatorDevice))
        try limitMemory()
    }

    private static func memoryInfo(_ functions: OnnxFunctions, _ kind: Int32) throws(OnnxRuntimeError) -> OpaquePointer
    {
        var info: OpaquePointer?
        try check(functions.CreateCpuMemoryInfo(kind, Int32(kOnnxMemoryDefault), &info), functions, "describe memory")
        guard let info else { throw .callFailed(operation: "describe memory", reason: "there is no description") }
        return info
    }

    /// Gives all models together one arena with a bound: a model that asks for more than half of the machine's memory gets an error
    /// instead of taking it from all other programs.
    private func limitMemory() throws(OnnxRuntimeError) {
        let bytes = max(Int(clamping: ProcessInfo.processInfo.physicalMemory / 2), 512 << 20)
        let keys = ["max_mem", "arena_extend_strategy"]
        var arena: OpaquePointer?
        let names = keys.map { strdup($0) }
        defer { names.forEach { free($0) } }
        // strdup fails only where nothing else works either.
        let pointers = names.compactMap { $0.map { UnsafePointer($0) } }
        guard pointers.count == keys.count else { return }
        try check(
            functions.CreateArenaCfgV2(pointers, [bytes, Int(kOnnxArenaGrowsAsRequested)], keys.count, &arena),
            "bound its memory"
        )
        defer { functions.ReleaseArenaCfg(arena) }
        let info = try Self.memoryInfo(functions, Int32(kOnnxAllocatorArena))
        defer { functions.ReleaseMemoryInfo(info) }
        try check(functions.CreateAndRegisterAllocator(environment, info, arena), "bound its memory")
    }

    // MARK: - Errors

    /// Throws the library's own reason if a call failed.
    func check(_ status: OpaquePointer?, _ operation: @autoclosure () -> String) throws(OnnxRuntimeError) {
        try Self.check(status, functions, operation())
    }

    private static func check(
        _ status: OpaquePointer?,
        _ functions: OnnxFunctions,
        _ operation: @autoclosure () -> String
    ) throws(OnnxRuntimeError) {
        guard let reason = reason(of: status, functions) else { return }
        throw .callFailed(operation: operation(), reason: reason)
    }

    /// The library's reason, in one line; nil for success. Releases the status.
    func reason(of status: OpaquePointer?) -> String? { Self.reason(of: status, functions) }

    private static func reason(of status: OpaquePointer?, _ functions: OnnxFunctions) -> String? {
        guard let status else { return nil }
        defer { functions.ReleaseStatus(status) }
        let text = String(cString: functions.GetErrorMessage(status))
        // The library writes the place in its own source before a reason: the path, the function, and its parameters.
        let reason = text.split(whereSeparator: \.isNewline).joined(separator: " ")
            .replacing(/\/onnxruntime_src\/\S+:\d+ [^()]*\([^()]*\)( const)?( \[[^\]]*\])? */, with: "")
        return String(reason.prefix(500))
    }
}
