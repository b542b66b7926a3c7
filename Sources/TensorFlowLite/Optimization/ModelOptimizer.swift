import Foundation

/// Rewrites models so that they run faster and answer the same, or nearly the same.
///
/// ```swift
/// let optimized = try ModelOptimizer().optimized(model)
/// let interpreter = try Interpreter(model: optimized.model)
/// ```
///
/// The optimizer knows these rewrites (``ModelRewrite``):
///
/// - **Signed integers**. Models with uint8 weights, as AutoML and TensorFlow 1 exported them, run two times as fast with
///   int8 weights. Inputs and outputs keep their types, so the rewritten file can replace the original. Answers differ
///   about as much as between two kernels of the runtime.
/// - **Focus stem**. The four slices and the convolution at the beginning of YOLOX and early YOLOv5 models become one
///   convolution. Answers differ by rounding errors.
/// - **Stacked heads**. Detectors that were converted from ONNX transpose each head, stack the heads and transpose them
///   back. The transposes go. Answers stay the same.
/// - **Column assignments**. Such detectors also replace the columns of their boxes by scattering. Slices take its place.
///   Answers stay the same.
/// - **Score threshold**. `TFLite_Detection_PostProcess` ignores boxes below ``scoreThreshold``. Boxes above it stay the
///   same.
///
/// Names, signatures, metadata, labels and packed files stay as they are. A rewritten model passes the checks of ``Model``,
/// and the runtime accepts it.
public struct ModelOptimizer: Sendable, Hashable {
    /// The score, 0…1, below which the caller ignores all boxes; nil to keep the model's own threshold.
    public var scoreThreshold: Float?

    /// The version of the rewrites. It changes when the same model leads to other bytes.
    public static let version = 2

    /// Creates an optimizer.
    public init(scoreThreshold: Float? = nil) {
        self.scoreThreshold = scoreThreshold
    }

    /// Rewrites a model.
    ///
    /// - Returns: The rewritten model, with lists of rewritten operators and of others.
    /// - Throws: ``ModelOptimizerError``: `nothingToGain` if no rewrite applies, `layout` if the file cannot be extended,
    ///   `invalid` if the rewritten file did not pass the checks or the runtime did not accept it.
    /// - Complexity: Tens of milliseconds for a model of a few megabytes. The memory is a small multiple of the file.
    public func optimized(_ model: Model) throws(ModelOptimizerError) -> OptimizedModel {
        let (data, plan) = try rewritten(model)
        let result: Model
        do {
            result = try Model(data: data, limits: model.limits)
        } catch {
            throw .invalid(reason: "\(error)")
        }
        guard result.answersLike(model) else { throw .invalid(reason: "Its inputs or outputs changed.") }
        do {
            try Interpreter(model: result).allocateTensors()
        } catch {
            throw .invalid(reason: "\(error)")
        }
        return OptimizedModel(model: result, plan: plan)
    }

    /// The operations that ``optimized(_:)`` would rewrite, without the checks of the result.
    ///
    /// - Throws: ``ModelOptimizerError``: `nothingToGain` or `layout`.
    public func plan(for model: Model) throws(ModelOptimizerError) -> OptimizationPlan {
        try rewritten(model).plan
    }

    private func rewritten(_ model: Model) throws(ModelOptimizerError) -> (data: Data, plan: OptimizationPlan) {
        let result = model.data.withUnsafeBytes { bytes in
            Result { try rewritten(model, in: FlatBuffer(bytes: bytes)) }
        }
        let (head, patched, plan): (head: [UInt8]?, patched: Data, plan: OptimizationPlan)
        do {
            (head, patched, plan) = try result.get()
        } catch let error as ModelOptimizerError {
            throw error
        } catch let error as FlatBufferError {
            throw .layout(reason: error.reason)
        } catch {
            throw .layout(reason: "\(error)")
        }
        guard let head else { return (patched, plan) }
        var data = Data(head)
        data.append(patched)
        // The positions of packed files change with the length of the head.
        do {
            if let archive = try model.archive() {
                let records = try archive.directory(behind: head.count)
                data.append(ZipArchive.ending(records, count: archive.names.count, at: data.count))
            }
        } catch {
            throw .layout(reason: "the files that it packs are damaged")
        }
        return (data, plan)
    }

    /// The head, or nil if the original needs none, and the patched original.
    private func rewritten(
        _ model: Model,
        in file: FlatBuffer
    ) throws -> (head: [UInt8]?, patched: Data, plan: OptimizationPlan) {
        var draft = try ModelDraft(model.graph, in: file)
        var rewrites: [ModelRewrite] = []
        let signing = try SignedIntegers.apply(to: &draft)
        if let signing {
            rewrites.append(
                .signedIntegers(
                    operators: signing.operatorCount,
                    exactChannels: signing.exactChannels,
                    channels: signing.channels
                )
            )
        }
        if try FocusStem.apply(to: &draft) > 0 { rewrites.append(.focusStem) }
        if try StackedHeads.apply(to: &draft) > 0 { rewrites.append(.stackedHeads) }
        if try ColumnAssignments.apply(to: &draft) > 0 { rewrites.append(.columnAssignments) }
        let needsHead = !rewrites.isEmpty
        if let scoreThreshold, (0...1).contains(scoreThreshold),
            let old = try ScoreThreshold.raise(to: scoreThreshold, in: &draft)
        {
            rewrites.append(.scoreThreshold(from: old, to: scoreThreshold))
        }
        guard !rewrites.isEmpty else { throw ModelOptimizerError.nothingToGain }
        var patched = Data(model.data)
        patched.withUnsafeMutableBytes { bytes in
            for patch in draft.patches {
                UnsafeMutableRawBufferPointer(rebasing: bytes[patch.range]).copyBytes(from: patch.bytes)
            }
        }
        return (
            needsHead ? try draft.head() : nil, patched,
            OptimizationPlan(rewrites: rewrites, kept: signing?.kept ?? [])
        )
    }
}

extension Model {
    /// Whether a program can use this model in the place of another model.
    func answersLike(_ other: Model) -> Bool {
        func isSame(_ one: TensorDescription, _ two: TensorDescription) -> Bool {
            one.name == two.name && one.dataType == two.dataType && one.shape == two.shape
                && one.quantizationParameters == two.quantizationParameters
        }
        return inputs.elementsEqual(other.inputs, by: isSame) && outputs.elementsEqual(other.outputs, by: isSame)
            && signatureKeys == other.signatureKeys && metadata == other.metadata
            && associatedFileNames == other.associatedFileNames
    }
}
