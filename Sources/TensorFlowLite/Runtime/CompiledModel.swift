import CLiteRT
import Foundation

/// A model that is ready to run. Not safe to use from two threads at the same time: results would be wrong without an
/// error.
final class CompiledModel {
    let model: Model
    let runtimeModel: RuntimeModel
    private var handle: OpaquePointer
    private let threadCount: Int?
    /// The number of shape changes for the inputs of each subgraph. Two runners of a subgraph share its shapes, so
    /// buffers created before a change must not be used after it.
    private(set) var generations: [Int: Int] = [:]
    /// The runtime's errors about a shape, from before the model was compiled again.
    private var refusal: String?

    var library: RuntimeLibrary { runtimeModel.library }
    private var functions: LiteRtFunctions { library.functions }

    /// Compiles the model for the CPU with `threadCount` threads; with nil the runtime decides.
    init(_ model: Model, threadCount: Int?) throws {
        self.model = model
        self.threadCount = threadCount
        runtimeModel = try model.runtimeModel()
        handle = try Self.compiled(model, runtimeModel, threadCount)
    }

    private static func compiled(
        _ model: Model,
        _ runtimeModel: RuntimeModel,
        _ threadCount: Int?
    ) throws -> OpaquePointer {
        let library = runtimeModel.library
        func compile(_ errors: CompilationOptions.Errors) throws -> (status: LiteRtStatusCode, handle: OpaquePointer?) {
            let options = try CompilationOptions(library: library, threadCount: threadCount, errors: errors)
            var handle: OpaquePointer?
            let status = library.functions.CreateCompiledModel(
                library.environment,
                runtimeModel.handle,
                options.handle,
                &handle
            )
            return (status, handle)
        }
        let (status, handle) = try compile(.collected)
        guard status == kLiteRtOk, let handle else {
            // A model that is not compiled has no list of errors, so the runtime prints the reason when it is asked again.
            if let second = try? compile(.printed).handle { library.functions.DestroyCompiledModel(second) }
            let custom = model.operators.filter(\.isCustom).map(\.name)
            let operators = custom.isEmpty ? "" : ", custom operators \(custom.joined(separator: ", "))"
            throw ModelError.rejectedByRuntime(reason: "status \(status), \(runtimeStatusText(status))\(operators)")
        }
        return handle
    }

    /// Compiles the model again after the runtime refused a shape. The refusal leaves tensors behind that do not fit
    /// each other: with LiteRT 2.3.0 a later run, at a shape that fits, read past them. All shapes are those of the
    /// file again.
    private func compileAgain() {
        guard let fresh = try? Self.compiled(model, runtimeModel, threadCount) else { return }
        functions.DestroyCompiledModel(handle)
        handle = fresh
        for subgraph in generations.keys { generations[subgraph, default: 0] += 1 }
    }

    deinit { functions.DestroyCompiledModel(handle) }

    /// The shape of an input in the runtime; a negative dimension is not chosen yet.
    func inputShape(signature: Int, input: Int) -> [Int]? {
        var layout = LiteRtLayout()
        guard functions.GetCompiledModelInputTensorLayout(handle, signature, input, &layout) == kLiteRtOk else {
            return nil
        }
        return layout.shape
    }

    /// Allocates every tensor at the current input shapes and returns the shapes of the outputs.
    ///
    /// Without `update_allocation` a model that ends in TFLite_Detection_PostProcess reports outputs of 4 bytes and then
    /// writes past them.
    func allocate(signature: Int, outputs count: Int) -> [[Int]]? {
        var layouts = [LiteRtLayout](repeating: LiteRtLayout(), count: count)
        let status = functions.GetCompiledModelOutputTensorLayouts(handle, signature, count, &layouts, true)
        guard status == kLiteRtOk else {
            refusal = readErrors()
            compileAgain()
            return nil
        }
        return layouts.map(\.shape)
    }

    /// The number of elements of each output after a run; nil if the runtime does not know them.
    func elementCounts(signature: Int, outputs count: Int) -> [Int?]? {
        withUnsafeTemporaryAllocation(of: LiteRtLayout.self, capacity: count) { layouts in
            layouts.initialize(repeating: LiteRtLayout())
            guard let start = layouts.baseAddress,
                functions.GetCompiledModelOutputTensorLayouts(handle, signature, count, start, false) == kLiteRtOk
            else { return nil }
            return layouts.map { Tensor.Shape($0.shape).elementCount }
        }
    }

    func resizeInput(signature: Int, subgraph: Int, input: Int, to dimensions: [Int32]) -> Bool {
        generations[subgraph, default: 0] += 1
        let status = functions.CompiledModelResizeInputTensorNonStrict(
            handle,
            signature,
            input,
            dimensions,
            dimensions.count
        )
        if status != kLiteRtOk { compileAgain() }
        return status == kLiteRtOk
    }

    /// Runs a signature. The arrays contain the handles of buffers that fit the last allocated shapes.
    func run(signature: Int, inputs: inout [OpaquePointer?], outputs: inout [OpaquePointer?]) -> LiteRtStatusCode {
        inputs.withUnsafeMutableBufferPointer { inputs in
            outputs.withUnsafeMutableBufferPointer { outputs in
                functions.RunCompiledModel(
                    handle,
                    signature,
                    inputs.count,
                    inputs.baseAddress,
                    outputs.count,
                    outputs.baseAddress
                )
            }
        }
    }

    /// The runtime's errors since the last call, joined into one line; nil if there are no errors.
    func takeErrors() -> String? {
        defer { refusal = nil }
        return refusal ?? readErrors()
    }

    private func readErrors() -> String? {
        var messages: UnsafeMutablePointer<CChar>?
        guard functions.CompiledModelGetErrorMessages(handle, &messages) == kLiteRtOk, let messages else { return nil }
        defer { free(messages) }
        _ = functions.CompiledModelClearErrors(handle)
        let text = String(cString: messages).split(whereSeparator: \.isNewline).joined(separator: "; ")
        return text.isEmpty ? nil : text
    }
}

extension LiteRtLayout {
    init(shape: [Int]) {
        self.init()
        let dimensions = shape.map { Int32(clamping: $0) }
        litert_layout_set(&self, dimensions, dimensions.count)
    }

    var shape: [Int] {
        withUnsafePointer(to: self) { layout in
            let rank = min(litert_layout_rank(layout), Int(kLiteRtMaximumRank))
            return withUnsafeBytes(of: layout.pointee.dimensions) { bytes in
                bytes.bindMemory(to: Int32.self).prefix(rank).map(Int.init)
            }
        }
    }
}

/// The compilation options of a model. They exist only during the compilation.
private final class CompilationOptions {
    let handle: OpaquePointer
    private let library: RuntimeLibrary

    /// Where the runtime's errors go.
    enum Errors: Int {
        /// To standard error.
        case printed = 0
        /// Into a list of the compiled model.
        case collected = 2
    }

    init(library: RuntimeLibrary, threadCount: Int?, errors: Errors) throws(RuntimeError) {
        var handle: OpaquePointer?
        let status = library.functions.CreateOptions(&handle)
        guard status == kLiteRtOk, let handle else {
            throw .callFailed(operation: "make options", status: Int(status), reason: runtimeStatusText(status))
        }
        self.library = library
        self.handle = handle
        let accelerated = library.functions.SetOptionsHardwareAccelerators(handle, Int32(kLiteRtAcceleratorCPU))
        guard accelerated == kLiteRtOk else {
            throw .callFailed(
                operation: "choose the CPU",
                status: Int(accelerated),
                reason: runtimeStatusText(accelerated)
            )
        }
        if let threadCount, threadCount > 0 {
            try add("xnnpack", "num_threads = \(min(threadCount, 1024))\n")
        }
        try add("runtime_options_string", "error_reporter_mode = \(errors.rawValue)\n")
    }

    deinit { library.functions.DestroyOptions(handle) }

    /// The runtime frees the text with the options.
    private func add(_ identifier: String, _ text: String) throws(RuntimeError) {
        var opaque: OpaquePointer?
        guard let payload = strdup(text) else {
            throw .callFailed(operation: "set \(identifier)", status: 2, reason: runtimeStatusText(2))
        }
        var status = library.functions.CreateOpaqueOptions(identifier, payload, { free($0) }, &opaque)
        guard status == kLiteRtOk, let opaque else {
            free(payload)
            throw .callFailed(operation: "set \(identifier)", status: Int(status), reason: runtimeStatusText(status))
        }
        status = library.functions.AddOpaqueOptions(handle, opaque)
        guard status == kLiteRtOk else {
            library.functions.DestroyOpaqueOptions(opaque)
            throw .callFailed(operation: "set \(identifier)", status: Int(status), reason: runtimeStatusText(status))
        }
    }
}
