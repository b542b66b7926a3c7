import CLiteRT
import Foundation

typealias LiteRtStatusCode = Int32

/// The LiteRT library, opened once per process, and the one environment that all models share.
///
/// Sendable: `functions` and `path` are constant values. `environment` is a handle that is created before the object is
/// published and never destroyed; the runtime allows calls with it from several threads at the same time.
final class RuntimeLibrary: Sendable {
    let functions: LiteRtFunctions
    let path: String
    nonisolated(unsafe) let environment: OpaquePointer

    private init(functions: LiteRtFunctions, path: String, environment: OpaquePointer) {
        self.functions = functions
        self.path = path
        self.environment = environment
    }

    private static let result = Result { () throws(RuntimeError) in try open() }

    /// The library, opened by the first call. If that fails, every later call in the process throws the same error.
    static func shared() throws(RuntimeError) -> RuntimeLibrary { try result.get() }

    private static func open() throws(RuntimeError) -> RuntimeLibrary {
        try open(.ofProcess)
    }

    /// Opens the first candidate that exists.
    static func open(_ search: RuntimeSearch) throws(RuntimeError) -> RuntimeLibrary {
        for candidate in search.candidates where candidate.isUsable {
            do throws(RuntimeError) {
                return try open(candidate.path, isLinked: candidate.isLinked)
            } catch .libraryNotLoadable where candidate.path == RuntimeSearch.fileName {
                // The search of the system found no library.
                break
            }
        }
        throw .libraryNotFound(searched: search.candidates.map(\.path))
    }

    /// Opens a library.
    ///
    /// - Parameter isLinked: Whether to take the functions that the process has already; then `path` is for messages alone.
    static func open(_ path: String, isLinked: Bool = false) throws(RuntimeError) -> RuntimeLibrary {
        let functions = UnsafeMutablePointer<LiteRtFunctions>.allocate(capacity: 1)
        defer { functions.deallocate() }
        var message = [CChar](repeating: 0, count: 1024)
        let result = litert_load(isLinked ? nil : path, functions, &message, message.count)
        let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        switch result {
        case LiteRtLoaded: break
        case LiteRtLoadMissingSymbol: throw .missingFunction(path: path, name: text)
        case LiteRtLoadTooOld: throw .tooOld(path: path, missing: text)
        default: throw .libraryNotLoadable(path: path, reason: text)
        }
        return RuntimeLibrary(
            functions: functions.pointee,
            path: path,
            environment: try makeEnvironment(functions.pointee)
        )
    }

    /// Creates an environment that prints nothing on standard error and registers the CPU alone.
    private static func makeEnvironment(_ functions: LiteRtFunctions) throws(RuntimeError) -> OpaquePointer {
        func option(_ tag: Int, _ value: Int) -> LiteRtEnvironmentOption {
            var option = LiteRtEnvironmentOption()
            option.tag = Int32(tag)
            option.value.kind = Int32(kLiteRtValueInteger)
            option.value.integer = Int64(value)
            return option
        }
        let options = [
            option(kLiteRtOptionMinLoggerSeverity, kLiteRtSeveritySilent),
            option(kLiteRtOptionAutoRegisterAccelerators, kLiteRtAcceleratorCPU),
        ]
        var environment: OpaquePointer?
        let status = functions.CreateEnvironment(Int32(options.count), options, &environment)
        guard status == kLiteRtOk, let environment else {
            throw .callFailed(operation: "start", status: Int(status), reason: runtimeStatusText(status))
        }
        return environment
    }
}
