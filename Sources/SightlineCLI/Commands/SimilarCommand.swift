import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import SightlineEvaluation
import SightlineTraining
import TextFormatting

struct SimilarCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "similar",
        abstract: "Find pictures that show the same thing, or copies of pictures.",
        discussion: """
            The pictures of a folder, and of the folders in it, are ranked by their likeness to each photo. SAME THING is the probability \
            that both show a thing of the same kind; if it is low for all pictures, there is nothing like the photo. The network that \
            compares them is that of the catalog's mobilenet-v2, which is installed on first use.

            With --duplicates, the command lists groups of a picture and its copies: the same bytes, the same pixels, or resized, \
            compressed again, slightly cropped, brighter or mirrored. Each picture of a group is a copy of the first. It needs no network, and \
            it never deletes anything.

            The command keeps what it reads in the folder's file .sightline-similar, so a second run reads only new and changed pictures. For a folder \
            that cannot be written, the file is in ${XDG_CACHE_HOME:-~/.cache}/sightline/similar.

            Examples:
              sightline similar photo.jpg photos/
              sightline similar photo.jpg photos/ --annotate sheet.png
              sightline similar shelf.jpg basket.jpg products/ --count 3 --format jsonl
              sightline similar photos/ --duplicates

            \(ExitStatus.help(
                success: "the pictures were compared, with or without a match",
                incomplete: "some pictures could not be read",
                failure: "nothing was compared"
            ))
            """
    )

    @Argument(
        help: ArgumentHelp(
            "One or more photos, and then the folder of the pictures; with --duplicates, the folder alone.",
            valueName: "photo-and-folder"
        ),
        completion: .file()
    )
    var inputs: [String]

    @Flag(help: "List groups of copies in the folder.")
    var duplicates = false

    @Option(parsing: .unconditional, help: "The number of pictures to list for each photo (default: 10).")
    var count: Int?

    @Option(
        help: ArgumentHelp(
            "The classifier whose network compares: a model of the catalog, an installed model or a file (default: mobilenet-v2).",
            valueName: "model"
        ),
        completion: .modelOrFile
    )
    var start: String?

    @Option(
        help: "Write a contact sheet to this .png or .jpg file: a row for each photo or group.",
        completion: .file()
    )
    var annotate: String?

    @Option(parsing: .unconditional, help: "Pictures that are read at the same time (default: one per core).")
    var workers: Int?

    @Option(help: "How to print the findings; jsonl is a line of JSON for each photo or group.")
    var format = ListFormat.table

    func validate() throws {
        if let workers { try check(workers, isIn: 1...256, name: "workers") }
        if let count { try check(count, isIn: 1...1000, name: "count") }
        if duplicates {
            guard inputs.count == 1 else {
                throw ValidationError(
                    "--duplicates takes one folder, for example: sightline similar photos/ --duplicates"
                )
            }
            if count != nil { throw ValidationError("--count belongs to photos; --duplicates lists all copies.") }
            if start != nil {
                throw ValidationError("--start belongs to photos; --duplicates compares pixels, without a network.")
            }
        } else if inputs.count < 2 {
            throw ValidationError(
                "Name a photo and then a folder of pictures (sightline similar photo.jpg photos/), or add --duplicates."
            )
        }
    }

    private var folder: String { inputs.last ?? "" }
    private var photos: [String] { inputs.dropLast() }

    func run() async throws {
        try reporting {
            if let annotate { _ = try ImageFormat(writingTo: annotate) }
        }
        var network: LocalModel?
        if !duplicates {
            for photo in photos where InputSequence.isFolder(photo) {
                throw reportedFailure("\(photo) is a folder; name photos first, and the folder of the pictures last.")
            }
            network = try TrainingStart.find(start, instead: Self.insteadOfNetwork).model
        }
        var options = PictureIndexerOptions(network: network)
        if let workers { options.workers = workers }
        let indexer = try loading { try PictureIndexer(options: options) }
        // Before minutes of reading: whether the photos can be read.
        var described: [(name: String, photo: PictureDescription)] = []
        for photo in photos {
            described.append(
                try await reporting {
                    let image = try FileName.withPath(photo) { path throws(ImageError) in
                        try VisionImage(atPath: path, name: FileName.printed(photo))
                    }
                    return (photo, try await indexer.description(of: image))
                }
            )
        }
        let index = try await index(indexer)
        if duplicates {
            try await list(try await groups(index), of: index)
        } else {
            try await list(described.map { answer($0.name, $0.photo, in: index) }, of: index)
        }
        if index.skipped.count > 0 { throw ExitStatus.incomplete.code }
    }

    private static let insteadOfNetwork =
        "The built-in network compares the pictures instead, which finds less: of flowers, the nearest picture is then of the same kind in "
        + "76 % instead of 82 %."

    private func reportedFailure(_ message: String) -> ExitCode {
        StandardError.report(message)
        return ExitStatus.failure.code
    }

    // MARK: - Comparing

    private func index(_ indexer: PictureIndexer) async throws -> PictureIndex {
        let index = try await reporting {
            var line = PictureProgress()
            defer { line.clear() }
            return try await indexer.index(of: URL(filePath: folder, directoryHint: .isDirectory)) {
                if case .reading(let done, let skipped, let total) = $0 {
                    line.show(done: done, of: total, failed: skipped)
                }
            }
        }
        if let damaged = index.damaged { StandardError.report("\(damaged) was damaged, and was made again.") }
        switch index.place {
        case .folder: break
        case .cache(let path):
            StandardError.report("\(folder) cannot be written, so what was read is kept in \(path).")
        case .memory(let reason):
            StandardError.report(
                "What was read cannot be kept\(reason.map { " (\($0))" } ?? ""); the next run reads all pictures again."
            )
        }
        for picture in index.skipped.pictures { StandardError.report("\(picture.path): \(picture.reason)") }
        let more = index.skipped.count - index.skipped.pictures.count
        if more > 0 { StandardError.report("\(more) more pictures were skipped.") }
        return index
    }

    private func groups(_ index: PictureIndex) async throws -> [DuplicateGroup] {
        try await reporting {
            var line = ProgressLine()
            defer { line.clear() }
            return try await index.duplicates {
                if case .comparing(let share) = $0 { line.show { "\(ProgressLine.bar(share)) comparing" } }
            }
        }
    }

    private func answer(_ photo: String, _ described: PictureDescription, in index: PictureIndex) -> SimilarAnswer {
        // The photo itself may be in the folder.
        let wanted = count ?? 10
        let found = index.neighbors(of: described, atMost: wanted + 1)
        let others = found.filter { !InputSequence.isSame(photo, path(of: $0.path)) }
        return SimilarAnswer(
            photo: FileName.printed(photo),
            leavesOutItself: others.count < found.count,
            pictures: Array(others.prefix(wanted))
        )
    }

    private func path(of picture: String) -> String {
        folder.hasSuffix("/") ? folder + picture : "\(folder)/\(picture)"
    }

    // MARK: - Output

    private func list(_ answers: [SimilarAnswer], of index: PictureIndex) async throws {
        if let annotate {
            let rows = answers.map { answer in
                [ContactSheet.Cell(source: .file(answer.photo), caption: "photo", color: .black)]
                    + answer.pictures.map {
                        .init(source: .file(path(of: $0.path)), caption: $0.caption, color: $0.color)
                    }
            }
            try await ContactSheet(rows: rows).write(to: annotate)
        }
        for answer in answers where answer.leavesOutItself {
            StandardError.report("\(answer.photo) is in the folder itself, and is left out.")
        }
        try format.print(answers) {
            answers.map { answer in
                (answers.count > 1 ? "\(answer.photo)\n" : "") + answer.text(of: index)
            }.joined(separator: "\n")
        }
    }

    private func list(_ groups: [DuplicateGroup], of index: PictureIndex) async throws {
        if let annotate, !groups.isEmpty {
            let rows = groups.map { group in
                group.pictures.map {
                    ContactSheet.Cell(
                        source: .file(path(of: $0.path)),
                        caption: "\($0.relation.text) \($0.sizeText)",
                        color: .black
                    )
                }
            }
            try await ContactSheet(rows: rows).write(to: annotate)
        }
        let total = DuplicateTotal(groups, of: index.count).text
        if format == .table {
            StandardOutput.write(groups.isEmpty ? "\(total)\n" : "\(DuplicateTotal.table(groups))\n\(total)\n")
        } else {
            try format.print(groups) { "" }
            StandardError.report(total)
        }
    }
}
