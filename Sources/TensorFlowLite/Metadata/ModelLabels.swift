import CZlib
import Foundation

/// Puts a label file into a model, where every reader of TensorFlow Lite metadata finds it.
///
/// The model's own bytes stay as they are: what is new comes before them (a root that refers to the old parts and to the
/// metadata) and behind them (the zip archive with the file). Format: the metadata schema of TensorFlow Lite Support.
public enum ModelLabels {
    /// A model with labels.
    ///
    /// - Parameters:
    ///   - labels: a text with one label a line.
    ///   - fileName: the name of the text in the archive.
    ///   - model: a model without metadata.
    /// - Throws: ``ModelLabelsError`` if the model has metadata already or is built in a way that this cannot extend, or if
    ///   the text is none; in it, ``ModelError`` if it is no model.
    public static func pack(_ labels: Data, fileName: String, into model: Data) throws(ModelLabelsError) -> Data {
        guard (1...255).contains(fileName.utf8.count), !labels.isEmpty, labels.count <= ZipArchive.maximumFileBytes,
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
        guard parsed.metadata == nil, parsed.associatedFileNames.isEmpty else { throw .hasMetadata }
        let metadata = metadata(inputs: parsed.inputs.count, outputs: parsed.outputs.count, fileName: fileName)
        let head = model.withUnsafeBytes { bytes in
            Result { () throws(FlatBufferError) in try root(of: FlatBuffer(bytes: bytes), with: metadata) }
        }
        var packed: Data
        switch head {
        case .success(let bytes): packed = Data(bytes)
        case .failure(let error): throw .unknownLayout(reason: error.reason)
        }
        packed.append(model)
        packed.append(archive(labels, fileName: fileName, at: packed.count))
        return packed
    }

    /// The metadata: which output the labels belong to.
    private static func metadata(inputs: Int, outputs: Int, fileName: String) -> [UInt8] {
        // A detector's post-processing gives boxes, classes, scores and their count; the labels name the values of the
        // second. Otherwise they name the places along the last axis of the first.
        let isDetector = outputs == 4
        let file = FlatBufferNode.table([0: .offset(.string(fileName)), 2: .uint8(isDetector ? 3 : 2)])
        let outputs = (0..<outputs).map { index -> FlatBufferNode in
            index == (isDetector ? 1 : 0) ? .table([6: .offset(.vector([file]))]) : .table([:])
        }
        let subgraph = FlatBufferNode.table([
            2: .offset(.vector((0..<inputs).map { _ in .table([:]) })), 3: .offset(.vector(outputs)),
        ])
        return FlatBufferWriter(root: .table([3: .offset(.vector([subgraph]))]), identifier: "M001").bytes
    }

    /// What comes before the model's bytes: a root with one buffer and one entry of metadata more.
    private static func root(of model: FlatBuffer, with metadata: [UInt8]) throws(FlatBufferError) -> [UInt8] {
        let old = try model.root()
        guard old.fieldCount <= 8 else { throw FlatBufferError(reason: "its root has fields that are not known") }
        let buffers = try old.tables(4)
        guard buffers.count < UInt32.max else { throw FlatBufferError(reason: "it has too many buffers") }
        let oldBuffers = try buffers.map { _, buffer throws(FlatBufferError) in
            // Such a buffer lies outside the FlatBuffer, at a position that would no longer be right.
            guard try buffer.integer(1, default: UInt64(0)) == 0 else {
                throw FlatBufferError(reason: "its weights lie outside the FlatBuffer")
            }
            return FlatBufferNode.following(buffer.position)
        }
        let entries = try old.tables(6).map { _, entry throws(FlatBufferError) in
            FlatBufferNode.following(entry.position)
        }
        let entry = FlatBufferNode.table([
            0: .offset(.string("TFLITE_METADATA")), 1: .uint32(UInt32(truncatingIfNeeded: buffers.count)),
        ])
        var fields: [Int: FlatBufferNode.Field] = [0: .uint32(try old.integer(0, default: UInt32(0)))]
        for field in [1, 2, 3, 5, 7] {
            if let target = try old.target(of: field) { fields[field] = .offset(.following(target)) }
        }
        fields[4] = .offset(.vector(oldBuffers + [.table([0: .offset(.bytes(metadata))])]))
        fields[6] = .offset(.vector(entries + [entry]))
        // A multiple of what the runtime may want weights to be aligned to.
        return FlatBufferWriter(root: .table(fields), identifier: "TFL3", multiple: 64).bytes
    }

    /// A zip archive of one stored file (PKWARE's APPNOTE), whose offsets count from the beginning of the model.
    private static func archive(_ content: Data, fileName: String, at position: Int) -> Data {
        let name = Data(fileName.utf8)
        let checksum = content.withUnsafeBytes { bytes in
            UInt32(truncatingIfNeeded: crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count)))
        }
        // Version 2.0, a name in UTF-8, stored, at midnight of 1 January 1980.
        var facts = Data()
        for value in [20, 0x800, 0, 0, 0x21] as [UInt16] { facts.append(littleEndian: value) }
        for value in [checksum, UInt32(content.count), UInt32(content.count)] { facts.append(littleEndian: value) }
        facts.append(littleEndian: UInt16(name.count))
        facts.append(littleEndian: UInt16(0))
        var archive = Data()
        archive.append(littleEndian: UInt32(0x0403_4b50))
        archive.append(facts + name + content)
        let directory = archive.count
        archive.append(littleEndian: UInt32(0x0201_4b50))
        archive.append(littleEndian: UInt16(20))
        archive.append(facts)
        for value in [0, 0, 0] as [UInt16] { archive.append(littleEndian: value) }
        archive.append(littleEndian: UInt32(0))
        archive.append(littleEndian: UInt32(truncatingIfNeeded: position))
        archive.append(name)
        let end = archive.count
        archive.append(littleEndian: UInt32(0x0605_4b50))
        for value in [0, 0, 1, 1] as [UInt16] { archive.append(littleEndian: value) }
        archive.append(littleEndian: UInt32(end - directory))
        archive.append(littleEndian: UInt32(truncatingIfNeeded: position + directory))
        archive.append(littleEndian: UInt16(0))
        return archive
    }
}

/// Why labels cannot be put into a model.
public enum ModelLabelsError: Error, Sendable, Hashable {
    /// The label file is empty or not UTF-8.
    case notText
    /// The model cannot be read.
    case notAModel(ModelError)
    /// The model has metadata or packed files already.
    case hasMetadata
    /// The model is built in a way that cannot be extended.
    case unknownLayout(reason: String)
}

extension ModelLabelsError: CustomStringConvertible, LocalizedError {
    /// One sentence: what, and what to do.
    public var description: String {
        switch self {
        case .notText: "the label file is empty or not UTF-8; write one label a line."
        case .notAModel(let error): "\(error)"
        case .hasMetadata:
            "the model has metadata already; leave the labels out if they are in it, or add them with the tool that made it."
        case .unknownLayout(let reason):
            "the model cannot be extended, since \(reason); add labels with the tool that made it."
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}

extension Data {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
