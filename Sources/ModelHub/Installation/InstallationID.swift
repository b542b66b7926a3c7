import Foundation

/// The id of this installation of an app: created once, stored in the app's folder, and shared by all processes that
/// use the folder.
///
/// It has the form of Firebase's installation ids, 22 characters of base64url that begin with the bits 0111, so that
/// hubs and Firebase accept it. It contains no information about the machine or its user.
struct InstallationID: Sendable {
    /// The folder that contains the file `installation`.
    let folder: URL

    private var file: URL { folder.appending(path: "installation") }

    /// The id; the first call creates it and replaces an invalid file.
    ///
    /// - Throws: ``DownloadError/fileAccess(path:reason:)`` or ``DownloadError/notEnoughSpace(path:)``.
    func text() throws(DownloadError) -> String {
        if let id = stored { return id }
        try StoreFile.makeFolder(folder)
        return try StoreFile.withLock(of: folder) { () throws(DownloadError) in
            if let id = stored { return id }
            let id = Self.make()
            try StoreFile.replace(file, with: Data(id.utf8))
            return id
        }
    }

    private var stored: String? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        return Self.isID(text) ? text : nil
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 22 && text.first.map { "cdef".contains($0) } == true
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95
            }
    }

    private static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<17).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[0] = 0b0111_0000 | bytes[0] & 0x0F
        let digits = Data(bytes).base64EncodedString().prefix(22)
        return String(digits.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
