import Foundation
import SightlineImages

/// A folder that an option such as `--pictures` names.
package enum PictureFolder {
    /// A folder without pictures.
    package struct Empty: Error, CustomStringConvertible {
        let folder: String

        /// The failure and the next step.
        package var description: String {
            "\(folder) is a folder with no pictures, or cannot be read; name another folder with --pictures."
        }
    }

    /// The pictures in a folder and the folders in it, in the order of their paths. Hidden files, and links to folders,
    /// are left out.
    ///
    /// - Throws: `Empty` if there are none.
    package static func files(in folder: String) throws(Empty) -> [URL] {
        let found = FileManager.default.enumerator(
            at: URL(filePath: folder, directoryHint: .isDirectory),
            includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles
        )
        let files = (found?.compactMap { $0 as? URL } ?? []).filter {
            !$0.hasDirectoryPath && FileKind(of: $0) == .picture
        }
        guard !files.isEmpty else { throw Empty(folder: folder) }
        return files.sorted { $0.path < $1.path }
    }
}
