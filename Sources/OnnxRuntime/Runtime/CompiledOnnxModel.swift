import COnnxRuntime
import Foundation
import TensorFlowLite

/// A model in the runtime, with its weights in the form that the processor needs. Several owners may run it at the same time.
///
/// Sendable: the handle and the names are constants, created in `init` and released in `deinit` after their last use. The library allows
/// runs of one session from several threads at the same time.
final class CompiledOnnxModel: Sendable {
    let library: OnnxLibrary
    nonisolated(unsafe) let handle: OpaquePointer
    let inputNames: CStrings
    let outputNames: CStrings

    /// Compiles a model.
    ///
    /// - Parameters:
    ///   - weights: the contents of the files of weights, by the name that the model has for them.
    ///   - threads: the number of threads of one run.
    init(
        _ bytes: ModelBytes,
        weights: [String: ModelBytes],
        inputs: [String],
        outputs: [String],
        threads: Int
    ) throws {
        let library = try OnnxLibrary.shared()
        let options = try SessionOptions(library, threads: threads)
        // The library copies what it needs of the files before the call ends.
        try options.add(weights)
        var handle: OpaquePointer?
        let status = library.functions.CreateSessionFromArray(
            library.environment,
            bytes.base,
            bytes.count,
            options.handle,
            &handle
        )
        if let reason = library.reason(of: status) { throw ModelError.rejectedByRuntime(reason: reason) }
        guard let handle else { throw ModelError.rejectedByRuntime(reason: "there is no session") }
        self.library = library
        self.handle = handle
        inputNames = CStrings(inputs)
        outputNames = CStrings(outputs)
    }

    deinit { library.functions.ReleaseSession(handle) }
}

/// The options of a session. They exist only while it is made.
private final class SessionOptions {
    let handle: OpaquePointer
    private let library: OnnxLibrary

    /// The settings, by the names in the library's documentation of session options.
    private static let entries = [
        // Memory comes from the arena with a bound.
        ("session.use_env_allocators", "1"),
        // Threads wait for each other only while a model runs, and soon sleep. With the library's own longer waiting, a picture took
        // 15.3 ms of processor time and 36 ms by the clock beside other programs (YOLOX-Nano, two threads), instead of 9.3 and 12.6.
        // Threads that never wait are slow where the processor is idle: 6.9 ms by the clock instead of 4.5.
        ("session.force_spinning_stop", "1"),
        ("session.intra_op.spin_duration_us", "10"),
        // Values that are computed once, when the model is made, stay small.
        ("optimization.constant_folding_max_output_size_in_bytes", "\(64 << 20)"),
    ]

    init(_ library: OnnxLibrary, threads: Int) throws(OnnxRuntimeError) {
        let functions = library.functions
        var handle: OpaquePointer?
        try library.check(functions.CreateSessionOptions(&handle), "make options")
        guard let handle else { throw .callFailed(operation: "make options", reason: "there are no options") }
        self.library = library
        self.handle = handle
        let count = Int32(clamping: min(max(threads, 1), 1024))
        try library.check(functions.SetIntraOpNumThreads(handle, count), "set threads")
        try library.check(functions.SetInterOpNumThreads(handle, 1), "set threads")
        try library.check(functions.SetSessionLogSeverityLevel(handle, Int32(kOnnxSeverityFatal)), "be silent")
        try library.check(functions.SetSessionGraphOptimizationLevel(handle, Int32(kOnnxOptimizeAll)), "optimize")
        for (key, value) in Self.entries {
            try library.check(functions.AddSessionConfigEntry(handle, key, value), "set \(key)")
        }
    }

    deinit { library.functions.ReleaseSessionOptions(handle) }

    func add(_ weights: [String: ModelBytes]) throws(OnnxRuntimeError) {
        guard !weights.isEmpty else { return }
        let files = Array(weights)
        let names = CStrings(files.map(\.key))
        let status = library.functions.AddExternalInitializersFromFilesInMemory(
            handle,
            names.pointers,
            files.map { $0.value.base.assumingMemoryBound(to: CChar.self) },
            files.map(\.value.count),
            files.count
        )
        try library.check(status, "take the weights")
    }
}

/// Texts as C has them, at addresses that never change.
///
/// Sendable: the pointers are constants, and nothing writes to the texts. `deinit` frees them.
final class CStrings: Sendable {
    nonisolated(unsafe) let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) { pointers = texts.map { strdup($0).map { UnsafePointer($0) } } }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
}
