import Foundation

/// A store for the bytes of uploads in several requests, with each upload under its id.
///
/// The store itself says how many bytes of an upload it has, so that an upload continues after the hub was killed at any
/// moment, and at another hub with the same store.
protocol UploadPieceStore: Sendable {
    /// The number of bytes of an upload, from the first byte on.
    func byteCount(of upload: String) async throws -> Int

    /// Makes a file for the bytes after those of the store, or for all bytes.
    func stage(_ upload: String, limit: Int, entry: UploadLedger.Entry?) async throws -> sending UploadPiece

    /// Stores a piece, which is on disk on this machine. Afterward it survives the end of the process.
    ///
    /// - Parameters:
    ///   - url: The file of the piece, which stays where it is.
    ///   - start: The place of its first byte in the upload.
    func keep(fileAt url: URL, from start: Int, of upload: String) async throws

    /// All bytes of an upload in one file.
    func whole(_ upload: String) async throws -> sending StagedFile

    /// Removes the bytes of an upload; does nothing if there are none.
    func remove(_ upload: String) async throws

    /// The uploads that have bytes.
    func uploads() async throws -> Set<String>
}

/// A file that receives the next bytes of an upload.
struct UploadPiece {
    /// The place of the file's first byte in the upload.
    let start: Int
    let file: StagedFile

    /// The place after its last byte.
    var end: Int { start + file.byteCount }
}
