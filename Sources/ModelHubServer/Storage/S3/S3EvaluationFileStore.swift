import Foundation

/// A store with an object for each file: `evaluations/5/pictures.zip`, `evaluations/5/report.json` and
/// `evaluations/5/thumbnails/…`.
struct S3EvaluationFileStore: EvaluationFileStore {
    private let client: S3Client
    /// Copies of archives, which several processes read; nil to read them where they lie.
    private let cache: FileCache?

    init(_ client: S3Client, cache: FileCache?) {
        self.client = client
        self.cache = cache
    }

    private static let folder = "evaluations/"
    private static let thumbnails = "thumbnails/"

    func store(fileAt url: URL, as file: EvaluationFile, of evaluation: Int64) async throws {
        let local = try await DiskThreads.run { try LocalFile(url) }
        try await client.put(local, as: Self.key(of: file, evaluation))
        try await DiskThreads.run { _ = unlink(url.path) }
    }

    func store(_ data: Data, as file: EvaluationFile, of evaluation: Int64) async throws {
        try await client.put(data, as: Self.key(of: file, evaluation))
    }

    func open(_ file: EvaluationFile, of evaluation: Int64) async throws -> StoredFile {
        let key = Self.key(of: file, evaluation)
        guard file == .pictures, let cache else { return try await original(key) }
        return try await cache.open(Self.copy(of: evaluation)) { try await original(key) }
    }

    private func original(_ key: String) async throws -> StoredFile {
        guard let byteCount = try await client.byteCount(of: key) else {
            throw HubError(
                .notFound,
                "The evaluation has no \(key.split(separator: "/").last ?? ""); evaluate the model again."
            )
        }
        return S3Reader.file(key, byteCount: byteCount, client)
    }

    func files(of evaluation: Int64) async throws -> Set<EvaluationFile> {
        let prefix = "\(Self.folder)\(evaluation)/"
        let names = try await client.objects(below: prefix).map { $0.key.dropFirst(prefix.count) }
        return Set(
            names.compactMap { name in
                switch name {
                case "pictures.zip": .pictures
                case "report.json": .report
                case _ where name.hasPrefix(Self.thumbnails): .thumbnail(String(name.dropFirst(Self.thumbnails.count)))
                default: nil
                }
            }
        )
    }

    func remove(_ evaluation: Int64) async throws {
        try await client.deleteAll(below: "\(Self.folder)\(evaluation)/")
        await cache?.remove(Self.copy(of: evaluation))
    }

    func evaluations() async throws -> Set<Int64> {
        Set(try await client.folders(in: Self.folder).compactMap { Int64($0) })
    }

    private static func key(of file: EvaluationFile, _ evaluation: Int64) -> String {
        let name =
            switch file {
            case .pictures: "pictures.zip"
            case .report: "report.json"
            case .thumbnail(let name): thumbnails + name
            }
        return "\(folder)\(evaluation)/\(name)"
    }

    private static func copy(of evaluation: Int64) -> FileCache.Key {
        FileCache.Key(unhashed: "pictures-of-evaluation-\(evaluation)")
    }
}
