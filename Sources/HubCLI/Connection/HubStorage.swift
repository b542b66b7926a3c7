import Foundation
import ModelHubServer

/// The place of a hub's records and files.
struct HubStorage: Sendable {
    /// The folder of the hub, for records and files without another place, and for files that are being received.
    var folder: URL
    /// The address of a PostgreSQL database with the records; nil for those in the folder.
    var database: String?
    /// The bucket with the files; nil for those in the folder.
    var bucket: S3Location?

    /// Opens the hub, or begins a new one.
    ///
    /// - Parameter cache: Copies of files in a bucket; nil to read the files in place.
    func open(options: Hub.Options = Hub.Options(), cache: HubFiles.Cache? = nil) async throws -> Hub {
        var options = options
        options.evaluator = ModelValidatorProgram.executable
        var files: HubFiles?
        if let bucket {
            files = try await .s3(bucket, credentials: try S3Credentials(), data: folder, cache: cache)
        }
        let hub = try await Hub(
            data: folder,
            database: database,
            files: files,
            validator: ModelValidatorProgram.validator(),
            options: options
        )
        if database != nil { OpenHubs.note(hub) }
        return hub
    }

    /// Whether a hub may be there already. A database shows that only when it is opened.
    var mayExist: Bool {
        database != nil || FileManager.default.fileExists(atPath: folder.appending(path: "hub.sqlite").path)
    }
}

extension HubStorage {
    /// Reads a folder, or addresses with commas between them: `postgres://…,s3://…`, or either with a folder before it.
    ///
    /// - Parameter scratch: The folder of a hub whose records and files are elsewhere.
    init(_ text: String, scratch: URL) throws {
        var parts: [String] = []
        // A comma also stands between the hosts of a database.
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if parts.isEmpty || part.hasPrefix("s3://") || part.hasPrefix("postgres") {
                parts.append(String(part))
            } else {
                parts[parts.count - 1] += ",\(part)"
            }
        }
        database = parts.first { $0.hasPrefix("postgres://") || $0.hasPrefix("postgresql://") }
        bucket = try parts.first { $0.hasPrefix("s3://") }.map { try S3Location($0) }
        let path = parts.first { !$0.contains("://") } ?? ""
        guard !path.isEmpty || (database != nil && bucket != nil) else {
            // Without the text, which may contain a password.
            throw CommandError(
                "A place of a hub needs records and files, but \(database == nil ? "the records" : "the files") have none here; write a folder, or postgres://…,s3://… for a hub without a folder."
            )
        }
        folder = path.isEmpty ? scratch : URL(filePath: path, directoryHint: .isDirectory)
    }
}
