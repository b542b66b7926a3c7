import Foundation

/// Collects the pictures of a folder or archive.
struct PictureListing {
    private(set) var folders: [String] = []
    private(set) var pictures: [LabeledPictures.Picture] = []
    private(set) var skipped = SkippedPictures()

    private let path: String
    private let limits: LabeledPictures.Limits
    private var folderIndices: [String: Int] = [:]

    init(path: String, limits: LabeledPictures.Limits) {
        self.path = path
        self.limits = limits
    }

    /// Whether the name belongs to a hidden file or a leftover of an operating system.
    static func isHidden(_ name: some StringProtocol) -> Bool {
        name.hasPrefix(".") || ["__MACOSX", "Thumbs.db", "desktop.ini"].contains(String(name))
    }

    private mutating func add(_ picture: String, in folder: String) throws(EvaluationError) {
        guard pictures.count < limits.maximumPictures else {
            throw .tooManyPictures(path: path, maximum: limits.maximumPictures)
        }
        let index = try self.index(of: folder)
        pictures.append(LabeledPictures.Picture(folder: index, path: picture))
    }

    private mutating func index(of folder: String) throws(EvaluationError) -> Int {
        if let index = folderIndices[folder] { return index }
        guard folders.count < limits.maximumFolders else {
            throw .tooManyFolders(path: path, maximum: limits.maximumFolders)
        }
        folderIndices[folder] = folders.count
        folders.append(folder)
        return folders.count - 1
    }
}

// MARK: - Folders

extension PictureListing {
    /// Adds the contents of the folders in a folder. Links to folders are not followed, because they may form cycles.
    mutating func addFolders(of url: URL) throws(EvaluationError) {
        let root = url.path(percentEncoded: false)
        for name in try names(in: root, called: root) {
            switch Self.kind(of: root, name) {
            case .folder:
                // Depth first, in the order of names, without recursion: paths may be as deep as the system allows.
                var rest = [name]
                while let next = rest.popLast() {
                    try visit(next, of: root, in: name, rest: &rest)
                }
            case .linkedFolder:
                skipped.add(name, "It is a link to a folder, which is not followed; name the folder itself.")
            case .misnamed:
                skipped.add(name, Self.misnamedReason)
            case .other:
                skipped.add(name, "It is not in the folder of a label.")
            }
        }
    }

    private mutating func visit(
        _ folder: String,
        of root: String,
        in label: String,
        rest: inout [String]
    ) throws(EvaluationError) {
        let names: [String]
        do throws(EvaluationError) {
            names = try self.names(in: "\(root)/\(folder)", called: folder)
        } catch {
            skipped.add(folder, "The folder cannot be read; check its permissions.")
            return
        }
        var subfolders: [String] = []
        for name in names {
            let child = "\(folder)/\(name)"
            switch Self.kind(of: root, child) {
            case .folder: subfolders.append(child)
            case .linkedFolder: skipped.add(child, "It is a link to a folder, which is not followed.")
            case .misnamed: skipped.add(child, Self.misnamedReason)
            case .other: try add(child, in: label)
            }
        }
        rest += subfolders.reversed()
    }

    private enum Kind {
        case folder, linkedFolder
        /// The name is not UTF-8, so its repaired text does not lead to the file.
        case misnamed
        case other
    }

    private static let misnamedReason = "Its name is not UTF-8; rename it."

    private static func kind(of root: String, _ child: String) -> Kind {
        var status = stat()
        let path = "\(root)/\(child)"
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            // Foundation inserts this character for bytes that are not UTF-8.
            return child.contains("\u{FFFD}") && lstat(path, &status) != 0 ? .misnamed : .other
        }
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return .linkedFolder }
        return .folder
    }

    private func names(in folder: String, called name: String) throws(EvaluationError) -> [String] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            return names.filter { !Self.isHidden($0) }.sorted()
        } catch {
            throw .unreadable(path: name, reason: "the folder cannot be listed, so check its permissions")
        }
    }
}

// MARK: - Archives

extension PictureListing {
    /// Adds the files of an archive, without the single folder that contains all of them if there is one.
    mutating func add(_ archive: PictureArchive) throws(EvaluationError) {
        let paths = archive.paths
        let tops = Set(paths.map { $0.prefix { $0 != "/" } })
        let isWrapped = tops.count == 1 && paths.allSatisfy { $0.split(separator: "/").count > 2 }
        for path in paths {
            let parts = path.split(separator: "/").dropFirst(isWrapped ? 1 : 0)
            if parts.count > 1, let label = parts.first {
                try add(path, in: String(label))
            } else {
                skipped.add(path, "It is not in the folder of a label.")
            }
        }
    }
}
