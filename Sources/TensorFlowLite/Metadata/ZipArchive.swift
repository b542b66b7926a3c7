import Foundation

/// The zip archive that may follow a model's FlatBuffer and that holds its associated files.
struct ZipArchive: Sendable {
    /// The most bytes that a packed file may inflate to: 64 MiB, a thousand times a large label file.
    static let maximumFileBytes = 64 << 20
    /// The most files that an archive may hold.
    static let maximumFiles = 10_000

    private let data: Data
    private let entries: [ZipEntry]

    var names: [String] { entries.map(\.name) }

    /// Finds the archive at the end of `data`; nil when there is none.
    init?(trailing data: Data) throws(ModelError) {
        do throws(ZipError) {
            entries = try ZipDirectory(
                byteCount: data.count,
                maximumFiles: Self.maximumFiles,
                read: { Self.read(data, $0, $1) }
            ).entries
        } catch {
            switch error {
            case .noArchive: return nil
            case .damagedDirectory(let reason): throw Self.damaged(reason)
            case .tooManyFiles: throw Self.damaged("it holds more than \(Self.maximumFiles) files")
            case .damagedFile(let name, let reason): throw .corruptedAssociatedFile(named: name, reason: reason)
            }
        }
        if let index = entries.firstIndex(where: \.isEncrypted) {
            throw Self.damaged("entry \(index) of its directory is encrypted")
        }
        self.data = data
    }

    /// The content of the file with that name.
    func content(of name: String) throws(ModelError) -> Data {
        guard let entry = entries.first(where: { $0.name == name }) else {
            throw .noAssociatedFile(named: name, available: names)
        }
        do throws(ZipError) {
            return try entry.content(atMost: Self.maximumFileBytes) { Self.read(data, $0, $1) }
        } catch {
            guard case .damagedFile(_, let reason) = error else { throw Self.damaged("it changed") }
            throw .corruptedAssociatedFile(named: name, reason: reason)
        }
    }

    private static func read(_ data: Data, _ offset: Int, _ count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= data.count, count <= data.count - offset else { return nil }
        return Data(data.dropFirst(offset).prefix(count))
    }

    private static func damaged(_ reason: String) -> ModelError {
        .corruptedAssociatedFile(named: "(archive)", reason: reason)
    }
}
