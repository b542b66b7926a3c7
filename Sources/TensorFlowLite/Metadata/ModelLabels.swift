import Foundation

/// Adds a label file to a model, where every reader of TensorFlow Lite metadata finds it.
///
/// The bytes of the model stay unchanged. A new root precedes them and refers to the existing parts and to the new
/// metadata. The label file follows them, with a zip directory that also lists the files that the model already packs.
/// Existing metadata is kept in the same way: a new root precedes it and adds the labels to their output. Format: the
/// metadata schema of TensorFlow Lite Support.
public enum ModelLabels {
    /// Returns the model with the labels added.
    ///
    /// - Parameters:
    ///   - labels: A text with one label per line.
    ///   - fileName: The name of the text in the archive.
    ///   - model: A model without labels.
    /// - Throws: ``ModelLabelsError`` if the model already has labels or has a layout that cannot be extended, or if
    ///   `labels` is not text; it wraps a ``ModelError`` if `model` is not a valid model.
    public static func pack(_ labels: Data, fileName: String, into model: Data) throws(ModelLabelsError) -> Data {
        guard (1...255).contains(fileName.utf8.count), !labels.isEmpty, labels.count <= ZipArchive.maximumBytes,
            String(data: labels, encoding: .utf8) != nil
        else {
            throw .notText
        }
        let parsed: Model
        do {
            parsed = try Model(data: model)
        } catch {
            throw .notAModel(error)
        }
        let named = parsed.metadata?.outputs.flatMap(\.associatedFiles) ?? []
        guard !named.contains(where: { $0.kind == .axisLabels || $0.kind == .valueLabels }) else { throw .hasLabels }
        let archive: ZipArchive?
        do {
            archive = try parsed.archive()
        } catch {
            throw .notAModel(error)
        }
        let names = archive?.names ?? []
        guard !names.contains(fileName) else { throw .nameTaken(fileName) }
        guard names.count < ZipArchive.maximumFiles,
            labels.count <= ZipArchive.maximumBytes - (archive?.unpackedByteCount ?? 0)
        else { throw .tooLarge(limit: ZipArchive.maximumBytes) }
        let addition = Addition(inputs: parsed.inputs.count, outputCount: parsed.outputs.count, fileName: fileName)
        let head = model.withUnsafeBytes { bytes in
            Result { () throws(FlatBufferError) in try root(of: FlatBuffer(bytes: bytes), adding: addition) }
        }
        var packed: Data
        switch head {
        case .success(let bytes): packed = Data(bytes)
        case .failure(let error): throw .unknownLayout(reason: error.reason)
        }
        let records: Data
        do {
            records = try archive?.directory(behind: packed.count) ?? Data()
        } catch {
            throw .notAModel(error)
        }
        packed.append(model)
        packed.append(
            ZipArchive.ending(with: (fileName, labels), after: records, count: names.count, at: packed.count)
        )
        return packed
    }

    /// The output that the labels belong to, and their file.
    private struct Addition {
        let inputs: Int
        let outputCount: Int
        let fileName: String

        // The post-processing of a detector has four outputs: boxes, classes, scores and their count. The labels name
        // the values of the second output. For other models they name the positions along the last axis of the first
        // output.
        private var isDetector: Bool { outputCount == 4 }
        private var target: Int { isDetector ? 1 : 0 }

        /// The metadata of a model, including any existing metadata.
        func metadata(extending old: FlatBuffer?) throws(FlatBufferError) -> [UInt8] {
            let root = try old?.root()
            let subgraphs = try root?.tables(3).map { _, table throws(FlatBufferError) in table } ?? []
            let main = subgraphs.first
            let known = try main?.tables(3).map { _, table throws(FlatBufferError) in table } ?? []
            var outputs: [FlatBufferNode] = []
            for index in 0..<max(outputCount, known.count) {
                let table = index < known.count ? known[index] : nil
                outputs.append(
                    index == target
                        ? try withLabels(table) : table.map { .following($0.position) } ?? .table([:])
                )
            }
            // The fields of the metadata schema, all of which are offsets.
            var subgraph = try Self.offsets(of: main, atMost: 10)
            subgraph[3] = .offset(.vector(outputs))
            if subgraph[2] == nil { subgraph[2] = .offset(.vector((0..<inputs).map { _ in .table([:]) })) }
            var fields = try Self.offsets(of: root, atMost: 8)
            let others = subgraphs.dropFirst().map { FlatBufferNode.following($0.position) }
            fields[3] = .offset(.vector([.table(subgraph)] + others))
            let head = FlatBufferWriter(root: .table(fields), identifier: "M001", multiple: 16).bytes
            return head + (old.map { Array($0.bytes) } ?? [])
        }

        private func withLabels(_ tensor: FlatBufferTable?) throws(FlatBufferError) -> FlatBufferNode {
            let file = FlatBufferNode.table([0: .offset(.string(fileName)), 2: .uint8(isDetector ? 3 : 2)])
            let files = try tensor?.tables(6).map { _, file throws(FlatBufferError) in
                FlatBufferNode.following(file.position)
            }
            var fields = try Self.offsets(of: tensor, atMost: 7)
            fields[6] = .offset(.vector((files ?? []) + [file]))
            return .table(fields)
        }

        /// The fields of a table, for references from elsewhere.
        private static func offsets(
            of table: FlatBufferTable?,
            atMost count: Int
        ) throws(FlatBufferError) -> [Int: FlatBufferNode.Field] {
            guard let table else { return [:] }
            guard table.fieldCount <= count else {
                throw FlatBufferError(reason: "its metadata has unknown fields")
            }
            var fields: [Int: FlatBufferNode.Field] = [:]
            for field in 0..<table.fieldCount {
                if let target = try table.target(of: field) { fields[field] = .offset(.following(target)) }
            }
            return fields
        }
    }

    private static let metadataName = "TFLITE_METADATA"

    /// The bytes that precede the model: a root with one additional buffer and one additional metadata entry.
    private static func root(of model: FlatBuffer, adding addition: Addition) throws(FlatBufferError) -> [UInt8] {
        let old = try model.root()
        guard old.fieldCount <= 8 else { throw FlatBufferError(reason: "its root has unknown fields") }
        let buffers = try old.tables(4)
        guard buffers.count < UInt32.max else { throw FlatBufferError(reason: "it has too many buffers") }
        let oldBuffers = try buffers.map { _, buffer throws(FlatBufferError) in
            // Such a buffer lies outside the FlatBuffer, so its position would become wrong.
            guard try buffer.integer(1, default: UInt64(0)) == 0 else {
                throw FlatBufferError(reason: "its weights lie outside the FlatBuffer")
            }
            return FlatBufferNode.following(buffer.position)
        }
        var entries: [FlatBufferNode] = []
        var known: FlatBuffer?
        for index in 0..<(try old.tables(6)).count {
            let entry = try old.tables(6).table(at: index)
            if try entry.string(0) != metadataName {
                entries.append(.following(entry.position))
                continue
            }
            let number = Int(try entry.integer(1, default: UInt32(0)))
            guard number < buffers.count, let bytes = try buffers.table(at: number).byteVector(0) else {
                throw FlatBufferError(reason: "its metadata is missing")
            }
            known = FlatBuffer(bytes: bytes)
        }
        let metadata = try addition.metadata(extending: known)
        let entry = FlatBufferNode.table([
            0: .offset(.string(metadataName)), 1: .uint32(UInt32(truncatingIfNeeded: buffers.count)),
        ])
        var fields: [Int: FlatBufferNode.Field] = [0: .uint32(try old.integer(0, default: UInt32(0)))]
        for field in [1, 2, 3, 5, 7] {
            if let target = try old.target(of: field) { fields[field] = .offset(.following(target)) }
        }
        fields[4] = .offset(.vector(oldBuffers + [.table([0: .offset(.bytes(metadata))])]))
        fields[6] = .offset(.vector(entries + [entry]))
        // A multiple of every alignment that the runtime may require for weights.
        return FlatBufferWriter(root: .table(fields), identifier: "TFL3", multiple: 64).bytes
    }
}

/// A reason why labels cannot be added to a model.
public enum ModelLabelsError: Error, Sendable, Hashable {
    /// The label file is empty or not UTF-8.
    case notText
    /// The model cannot be read.
    case notAModel(ModelError)
    /// The metadata already names labels.
    case hasLabels
    /// The model already packs another file with this name.
    case nameTaken(String)
    /// The labels and the files in the model exceed the size limit for packed files.
    case tooLarge(limit: Int)
    /// The model has a layout that cannot be extended.
    case unknownLayout(reason: String)
}

extension ModelLabelsError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure and the next step.
    public var description: String {
        switch self {
        case .notText: "the label file is empty or not UTF-8; write one label per line."
        case .notAModel(let error): "\(error)"
        case .hasLabels:
            "the model already has labels; omit these, or remove the existing labels with the tool that added them."
        case .nameTaken(let name):
            "the model already packs a file \"\(name)\"; rename the label file."
        case .tooLarge(let limit):
            "the labels and the files in the model have more than \(limit) bytes in total; use a shorter label file."
        case .unknownLayout(let reason):
            "the model cannot be extended because \(reason); add labels with the tool that created it."
        }
    }

    /// The same sentence as `description`.
    public var errorDescription: String? { description }
}
