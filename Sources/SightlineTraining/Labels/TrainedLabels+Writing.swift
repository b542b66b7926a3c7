import DurableFiles
import Foundation

extension TrainedLabels {
    /// Writes the model's folder: complete, or not at all.
    ///
    /// The folder has what AutoML Vision Edge wrote (`model.tflite`, `dict.txt`, `manifest.json`), `report.html`, `card.json` and
    /// `README.md`. Where the start needs pictures in another form than cropped, `model.sightline.json` says so. An earlier folder of a
    /// trained model is replaced.
    ///
    /// Waits for the disk, so call it where that does not matter.
    ///
    /// - Throws: ``TrainingError/foreignFolder(path:)`` if the folder holds something else, ``TrainingError/unwritable(path:reason:)``.
    public func write(to folder: URL) throws(TrainingError) { try Self.write(to: folder, files) }

    /// Writes the folder of a trained model: complete, or not at all. The card is among the files.
    static func write(
        to folder: URL,
        _ files: () throws -> [(name: String, content: Data)]
    ) throws(TrainingError) {
        let path = folder.path(percentEncoded: false)
        let parent = folder.standardizedFileURL.deletingLastPathComponent()
        let partial = parent.appending(
            path: "\(Self.partialPrefix)\(folder.lastPathComponent)-\(ProcessInfo.processInfo.processIdentifier)"
        )
        try Self.check(folder)
        do {
            try DurableFile.makeFolder(parent)
            Self.removeLeftovers(of: folder, in: parent)
            try? FileManager.default.removeItem(at: partial)
            try DurableFile.makeFolder(partial)
        } catch {
            throw .unwritable(path: path, reason: Self.clause(error))
        }
        do {
            for (name, content) in try files() {
                try DurableFile.write(content, to: partial.appending(path: name), permissions: 0o666)
            }
            try Self.replace(folder, by: partial)
        } catch let error as TrainingError {
            try? FileManager.default.removeItem(at: partial)
            throw error
        } catch {
            try? FileManager.default.removeItem(at: partial)
            throw .unwritable(path: path, reason: Self.clause(error))
        }
    }

    /// The reason of an error, without the period of a sentence and without the name of a file that is gone again.
    private static func clause(_ error: any Error) -> String {
        if let error = error as? DurableFileError { return error.reason }
        let text = "\(error)"
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// Throws if a folder may not be written or replaced. A command asks before it works for minutes.
    ///
    /// - Throws: ``TrainingError/foreignFolder(path:)``.
    package static func check(_ folder: URL) throws(TrainingError) {
        let path = folder.path(percentEncoded: false)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            if FileManager.default.fileExists(atPath: path) { throw .foreignFolder(path: path) }
            return
        }
        guard names.isEmpty || names.contains(cardName) else { throw .foreignFolder(path: path) }
    }

    private static let partialPrefix = ".partial-"
    private static let cardName = "card.json"

    /// The end of the name of an earlier folder while another takes its place.
    private static let oldSuffix = "-old"

    /// Removes the leftovers of killed processes. An earlier model that such a process had moved away gets its name back.
    private static func removeLeftovers(of folder: URL, in parent: URL) {
        let prefix = "\(partialPrefix)\(folder.lastPathComponent)-"
        for found in (try? FileManager.default.contentsOfDirectory(atPath: parent.path(percentEncoded: false))) ?? []
        where found.hasPrefix(prefix) {
            let number = found.dropFirst(prefix.count)
            let isOld = number.hasSuffix(oldSuffix)
            guard let process = pid_t(isOld ? number.dropLast(oldSuffix.count) : number), kill(process, 0) != 0,
                errno == ESRCH
            else { continue }
            let left = parent.appending(path: found).path(percentEncoded: false)
            // Without a folder that has the name, this is the only model. A folder that is not empty is not replaced.
            if isOld, rename(left, folder.path(percentEncoded: false)) == 0 { continue }
            try? FileManager.default.removeItem(atPath: left)
        }
    }

    /// Gives a prepared folder its name. An earlier folder changes places with it at once; where the file system cannot do that, it is away
    /// for a moment, and comes back if that fails.
    private static func replace(_ folder: URL, by partial: URL) throws {
        let (path, new) = (folder.path(percentEncoded: false), partial.path(percentEncoded: false))
        try DurableFile.synchronizeFolder(partial)
        guard FileManager.default.fileExists(atPath: path) else {
            try DurableFile.move(new, to: folder)
            return
        }
        if FolderExchange.exchange(new, path) {
            try? DurableFile.synchronizeFolder(folder.deletingLastPathComponent())
            try? FileManager.default.removeItem(atPath: new)
            return
        }
        let old = new + oldSuffix
        guard rename(path, old) == 0 else { throw DurableFileError(path: path, code: errno) }
        do {
            try DurableFile.move(new, to: folder)
        } catch {
            _ = rename(old, path)
            throw error
        }
        try? FileManager.default.removeItem(atPath: old)
    }

    /// The files of the folder.
    private func files() throws -> [(name: String, content: Data)] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let manifest = """
            {
              "modelType": "IMAGE_LABELING",
              "modelFile": "model.tflite",
              "labelsFile": "dict.txt"
            }

            """
        var files: [(name: String, content: Data)] = [
            ("model.tflite", model),
            ("dict.txt", Data(labels.map { $0 + "\n" }.joined().utf8)),
            ("manifest.json", Data(manifest.utf8)),
            ("report.html", Data(html.utf8)),
            ("README.md", Data(readme.utf8)),
            (Self.cardName, try encoder.encode(card) + Data("\n".utf8)),
        ]
        if let sidecar { files.append(("model.sightline.json", try encoder.encode(sidecar) + Data("\n".utf8))) }
        return files
    }

    private var readme: String {
        let rows = card.labels.map { "| \($0.name.replacing("|", with: "\\|")) | \($0.pictures) |\n" }.joined()
        let warnings = card.warnings.map { "* \($0)\n" }.joined()
        return """
            # \(card.name)

            A model for \(card.labels.count) labels, trained on \(card.pictureCount) pictures of \(card.source) on \
            \(card.created.prefix(10)) with `sightline train labels`.

            \(card.rightText). \(card.method) [The report](report.html) has all figures.

            | Label | Pictures |
            |--|--:|
            \(rows)
            Answers below a confidence of \(card.confidenceThreshold.map { "\($0)" } ?? "0") are dropped unless another threshold is given.
            \(card.unrelatedSentence.map { "\n\($0)\n" } ?? "")\(warnings.isEmpty ? "" : "\n\(warnings)")
            The network is that of \(card.start.name)\(card.start.license.map { " (\($0))" } ?? ""); only its last layer is new.

            ```sh
            sightline label photo.jpg --model \(card.name)
            ```

            """
    }
}
