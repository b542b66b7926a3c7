import DurableFiles
import Foundation
import TensorFlowLite

/// Rewritten models of a user, kept so that each model is rewritten once.
///
/// A file has the name of its original's SHA-256, of the optimizer's version, and of the score threshold if the rewritten
/// model depends on it. It holds the SHA-256 of the rewritten model in 64 hexadecimal digits, and then the model. Files
/// appear as a whole; a damaged file is made again. The folder may be removed at any time.
struct OptimizedModelCache: Sendable {
    /// The folder of the files, which need not exist yet.
    let folder: URL

    /// The user's folder: `sightline/optimized` in the folder `$XDG_CACHE_HOME`, or in `~/.cache`.
    static func ofUser() -> OptimizedModelCache {
        OptimizedModelCache(folder: UserCacheFolder.ofUser().appending(path: "sightline/optimized"))
    }

    /// The rewritten form of a model; nil if it cannot become faster.
    ///
    /// - Parameter scoreThreshold: the score below which the caller ignores all boxes; nil for a model without boxes.
    func model(for original: Model, scoreThreshold: Float?) -> Model? {
        let hasThreshold = original.operators.contains { $0.name == "TFLite_Detection_PostProcess" }
        let optimizer = ModelOptimizer(scoreThreshold: hasThreshold ? scoreThreshold : nil)
        let file = folder.appending(path: name(for: original, optimizer))
        if let model = read(file) { return model }
        guard let model = try? optimizer.optimized(original).model else { return nil }
        keep(model.data, in: file)
        return model
    }

    private func name(for original: Model, _ optimizer: ModelOptimizer) -> String {
        let threshold = optimizer.scoreThreshold.map { "-\(String($0.bitPattern, radix: 16))" } ?? ""
        return "\(SHA256.hexadecimalDigest(of: original.data))-\(ModelOptimizer.version)\(threshold)"
    }

    private static let digestLength = 64

    /// The model in a file; nil if there is no file, or a damaged file.
    private func read(_ file: URL) -> Model? {
        guard let content = try? Data(contentsOf: file), content.count > Self.digestLength else { return nil }
        let data = content.dropFirst(Self.digestLength)
        guard Data(SHA256.hexadecimalDigest(of: data).utf8) == content.prefix(Self.digestLength) else { return nil }
        return try? Model(data: data)
    }

    /// Writes a file. A folder that cannot be written only costs the time to rewrite the model again.
    private func keep(_ data: Data, in file: URL) {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? DurableFile.write(Data(SHA256.hexadecimalDigest(of: data).utf8) + data, to: file)
    }
}
