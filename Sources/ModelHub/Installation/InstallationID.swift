import DurableFiles
import Foundation
import ModelHubProtocol

/// The id of this installation of an app: created once, stored in the app's folder, and shared by all processes that
/// use the folder.
///
/// It has the form of Firebase's installation ids, so that hubs and Firebase accept it. It contains no information about
/// the machine or its user.
struct InstallationID: Sendable {
    /// The folder that contains the file `installation`.
    let folder: URL

    private var file: URL { folder.appending(path: "installation") }

    /// The id; the first call creates it and replaces an invalid file.
    func text() throws(DurableFileError) -> String {
        if let id = stored { return id }
        try DurableFile.makeFolder(folder)
        return try FileLock.taken(DownloadedModels.lock(of: folder)).whileHeld { () throws(DurableFileError) in
            if let id = stored { return id }
            let id = FirebaseInstallationID.make()
            try DurableFile.write(Data(id.utf8), to: file)
            return id
        }
    }

    private var stored: String? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        return FirebaseInstallationID.isValid(text) ? text : nil
    }
}
