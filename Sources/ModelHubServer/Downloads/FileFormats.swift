import Foundation
import ModelHubProtocol
import Sightline
import Synchronization

/// The formats of stored files, as their first bytes show them. A file with a hash never changes, so that each is read once.
final class FileFormats: Sendable {
    private let known = Mutex<[BlobHash: HostedFormat]>([:])

    /// The largest number of remembered files.
    private static let limit = 10_000

    subscript(hash: BlobHash) -> HostedFormat? { known.withLock { $0[hash] } }

    func insert(_ format: HostedFormat, of hash: BlobHash) {
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[hash] = format
        }
    }
}

extension Hub {
    /// The format of a stored file.
    ///
    /// - Throws: the errors of the store if the file was not read before and cannot be read now.
    func format(of hash: BlobHash) async throws -> HostedFormat {
        if let format = formats[hash] { return format }
        var beginning = Data()
        for try await piece in try await blobs.open(hash).bytes(in: 0..<ModelFormat.recognizedBytes) {
            beginning += piece.readableBytesView
        }
        let format: HostedFormat = ModelFormat.isONNX(beginning) ? .onnx : .tensorFlowLite
        formats.insert(format, of: hash)
        return format
    }

    /// The formats of some versions by their hashes, without those of files that cannot be read now.
    func formats(of versions: some Sequence<ModelVersion>) async -> [BlobHash: HostedFormat] {
        var found: [BlobHash: HostedFormat] = [:]
        for version in versions where found[version.hash] == nil {
            // A store on other machines is not asked about a file that is described.
            if let described = HostedFormat(inspection: version.inspection) {
                found[version.hash] = described
            } else {
                found[version.hash] = try? await format(of: version.hash)
            }
        }
        return found
    }

    /// Whether two versions of a model have different formats, so that some clients can read only one of them.
    ///
    /// - Returns: the formats of both; nil if they are the same, or a version does not exist.
    func formatChange(
        of model: Int64,
        from old: Int,
        to new: Int
    ) async throws -> (old: HostedFormat, new: HostedFormat)? {
        guard let before = try await records.version(old, of: model),
            let after = try await records.version(new, of: model)
        else { return nil }
        let formats = (old: try await format(of: before.hash), new: try await format(of: after.hash))
        return formats.old == formats.new ? nil : formats
    }
}

extension HostedFormat {
    /// The format in a stored description of a model as JSON; nil if there is none.
    init?(inspection json: String) {
        struct Inspection: Decodable {
            var runtime: String?
        }
        guard json != "null", let inspection = try? JSONDecoder().decode(Inspection.self, from: Data(json.utf8)) else {
            return nil
        }
        // The hubs that described no runtime took TensorFlow Lite alone.
        self = inspection.runtime?.hasPrefix(HostedFormat.onnx.title) == true ? .onnx : .tensorFlowLite
    }
}
