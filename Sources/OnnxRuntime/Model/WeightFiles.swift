import Foundation
import TensorFlowLite

/// The files beside a model that hold its weights. They are read before the runtime starts, which therefore opens no file.
enum WeightFiles {
    /// Reads the files that tensors name.
    ///
    /// - Parameters:
    ///   - folder: the model's folder; nil for a model without a place, such as one in an archive.
    /// - Throws: `ModelError.unsupported(.weightFile(path:reason:))` for a file outside the folder or too short a file.
    static func read(
        for tensors: [OnnxTensor],
        in folder: URL?,
        limits: ModelLimits
    ) throws(ModelError) -> [String: ModelBytes] {
        var files: [String: ModelBytes] = [:]
        for tensor in tensors {
            guard let external = tensor.external else { continue }
            func failure(_ reason: String) -> ModelError {
                .unsupported(.weightFile(path: String(external.path.prefix(200)), reason: reason))
            }
            guard let folder else { throw failure("a model in an archive cannot use other files") }
            let file: ModelBytes
            if let known = files[external.path] {
                file = known
            } else {
                guard let url = place(of: external.path, in: folder) else {
                    throw failure("the file does not lie in the model's folder")
                }
                do {
                    file = try ModelBytes(contentsOf: url)
                } catch .unreadable(_, let reason) {
                    throw failure("the file could not be read (\(reason))")
                }
                files[external.path] = file
            }
            guard let needed = tensor.elementCount.flatMap(tensor.type.byteCount),
                external.length ?? needed == needed, external.offset <= file.count,
                needed <= file.count - external.offset
            else { throw failure("the tensor \"\(tensor.name.prefix(100))\" does not fit into it") }
        }
        return files
    }

    /// The file that a relative path names in a folder; nil if it lies outside, also by a symbolic link.
    private static func place(of path: String, in folder: URL) -> URL? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.isEmpty, !parts.contains(".."), !path.hasPrefix("/"), !path.contains("\0"), !path.contains("\\")
        else {
            return nil
        }
        let root = folder.resolvingSymlinksInPath().standardizedFileURL.path
        let file = folder.appending(path: path).resolvingSymlinksInPath().standardizedFileURL
        return file.path.hasPrefix(root == "/" ? root : root + "/") ? file : nil
    }
}
