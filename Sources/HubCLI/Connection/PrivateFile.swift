import CommandLineSupport
import DurableFiles
import Foundation
import ModelHubServer

/// Files for signing that stay on this machine. Without `async`: the functions wait for the disk.
enum PrivateFile {
    /// Writes a new file that only its owner can read.
    ///
    /// - Throws: ``CommandError`` if the file exists already, so that no key is lost.
    static func create(_ text: String, at path: String) throws(CommandError) {
        do throws(DurableFileError) {
            let file = try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
            try file.write(Data(text.utf8))
            try file.synchronize()
            try DurableFile.synchronizeFolder(URL(filePath: path).deletingLastPathComponent())
        } catch {
            guard error.code == EEXIST else {
                throw CommandError("\(path) cannot be written (\(error.reason)); check the folder.")
            }
            throw CommandError("\(path) exists already; name a new file, so that no key is lost.")
        }
    }

    /// The key in a file.
    static func signingKey(_ path: String) throws -> SigningKey {
        do {
            return try SigningKey(pem: try text(path, upTo: 4096))
        } catch let error as HubError {
            throw CommandError("\(path) cannot be used: \(error.message)")
        }
    }

    /// The text in a small file.
    static func text(_ path: String, upTo limit: Int) throws(CommandError) -> String {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: limit + 1),
            let text = String(data: data, encoding: .utf8)
        else { throw CommandError("\(path) cannot be read as text; check the path and its permissions.") }
        guard data.count <= limit else {
            throw CommandError("\(path) has more than \(limit) bytes; name the right file.")
        }
        return text
    }

    /// The SHA-256, the size and the digest of the labels of a model's file; without the digest if LiteRT is not installed, or the file
    /// does not contain all labels.
    static func model(_ path: String) throws -> (hash: String, byteCount: Int, labels: String?) {
        let found: FileHash
        do {
            found = try FileHash.read(path)
        } catch {
            throw CommandError("\(path) cannot be read; check the path and its permissions.")
        }
        let labels = withStandardErrorSilenced { ModelValidationReport(ofModelAt: path).inspection?.labelsDigest }
        return (found.hash.text, found.byteCount, labels)
    }
}
