import ArgumentParser
import CommandLineSupport
import Foundation
import HTTPTypes
import ModelHubProtocol
import TextFormatting

struct DataSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dataset",
        abstract: "Collect photos with labels or boxes, from which the hub trains models.",
        discussion: """
            A data set belongs to a project. Its photos count toward the project's quota, are stored by their hash, and are part of backups. \
            What is removed is gone for good: the hub keeps no copy, except in earlier backups.

            Examples:
              sightline hub dataset create plants
              sightline hub dataset add plants photos.zip
              sightline hub dataset add plants 1.jpg 2.jpg --label daisy
              sightline hub dataset label plants 3f0c9a12bc45 tulip
              sightline hub dataset boxes parts 3f0c9a12bc45 --box bolt=20,30,64,60
              sightline hub train plants
            """,
        subcommands: [
            Create.self, Add.self, List.self, Show.self, Photos.self, Label.self, DataSetBoxesCommand.self, Remove.self,
            Delete.self,
        ]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a data set.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "Its name: up to 32 letters, digits, underscores and hyphens, beginning with a letter.")
        var name: String

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                try await connection.send(.post, connection.extensions("datasets"), json: DataSetInput(name: name))
            }
            StandardOutput.writeLine("\(name): created")
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add photos, or zip archives of photos.",
            discussion: """
                An archive has a folder of photos for each label, or photos with annotations in COCO's format, whose boxes are kept, or a CSV \
                file as AutoML Vision's. \
                The hub reads it in a sandbox, and says which files it cannot use. A photo that the data set has already keeps its label.

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The data set.")
        var name: String
        @Argument(help: "Photos and zip archives.", completion: .file())
        var files: [String]
        @Option(help: "The label of all these photos (default: the labels of an archive; none for single photos).")
        var label: String?

        private static let maximumBytes = 1 << 30

        func run() async throws {
            var (added, known, leftOut, unlabeled) = (0, 0, 0, 0)
            try await reporting {
                let connection = try await location.connect()
                for file in files {
                    let outcome = try await add(file, connection)
                    added += outcome.addedCount
                    known += outcome.knownCount
                    leftOut += outcome.leftOutBoxCount
                    unlabeled += outcome.unlabeledCount ?? 0
                    for skipped in outcome.skipped { StandardError.report("\(skipped.path): \(skipped.reason)") }
                    if outcome.skippedCount > outcome.skipped.count {
                        StandardError.report(
                            "\(NumberText.grouped(outcome.skippedCount - outcome.skipped.count, "more file")) of \(file) cannot be used."
                        )
                    }
                }
            }
            if leftOut > 0 {
                StandardError.report(
                    leftOut == 1
                        ? "1 box lies outside of its photo or has no area; left out."
                        : "\(leftOut) boxes lie outside of their photos or have no area; left out."
                )
            }
            StandardOutput.writeLine(
                "\(name): \(NumberText.grouped(added, "photo")) added"
                    + (unlabeled > 0 ? ", \(NumberText.grouped(unlabeled)) of them without a label" : "")
                    + (known > 0 ? ", \(NumberText.grouped(known)) known already" : "")
            )
        }

        private func add(_ file: String, _ connection: HubConnection) async throws -> AddedPhotos {
            let url = URL(filePath: file)
            let size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
            guard let size else { throw CommandError("\(file) cannot be read; check the path and its permissions.") }
            guard size <= Self.maximumBytes else {
                throw CommandError("\(file) has more than 1 GiB; add it in several archives.")
            }
            guard let data = try? Data(contentsOf: url, options: .alwaysMapped) else {
                throw CommandError("\(file) cannot be read; check the path and its permissions.")
            }
            let target =
                connection.extensions("datasets", name, "photos")
                + "?name=\(HubConnection.encoded(url.lastPathComponent))"
                + (label.map { "&label=\(HubConnection.encoded($0))" } ?? "")
            let reply = try await connection.send(
                .post,
                target,
                contentType: "application/octet-stream",
                body: data
            )
            return try HubConnection.decoded(AddedPhotos.self, from: reply)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List data sets.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found = try await reporting {
                let connection = try await location.connect()
                return try await connection.resource(DataSetList.self, .get, connection.extensions("datasets")).dataSets
            }
            try list.format.print(found) {
                TextTable(
                    columns: [.text("NAME"), .number("PHOTOS"), .number("LABELS"), .number("SIZE"), .text("CREATED")],
                    rows: found.map {
                        [
                            $0.name, "\($0.photoCount)", "\($0.labels.count)", NumberText.bytes(Int($0.sizeBytes) ?? 0),
                            $0.createTime,
                        ]
                    }
                ).text
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the labels of a data set.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The data set.")
        var name: String
        @OptionGroup var list: ListOptions

        /// A label with the numbers of its photos and boxes.
        private struct Row: Codable {
            var label: String
            var photoCount, boxCount: Int
        }

        func run() async throws {
            let found = try await reporting {
                let connection = try await location.connect()
                return try await connection.resource(
                    DataSetResource.self,
                    .get,
                    connection.extensions("datasets", name)
                )
            }
            let unlabeled = DataSetResource.Label(label: "", photoCount: found.unlabeledCount)
            let labels = found.labels + (found.unlabeledCount > 0 ? [unlabeled] : [])
            let boxes = Dictionary(
                found.boxLabels.map { ($0.label, $0.boxCount) },
                uniquingKeysWith: { first, _ in first }
            )
            let photos = Dictionary(labels.map { ($0.label, $0.photoCount) }, uniquingKeysWith: { first, _ in first })
            let names = labels.map(\.label).filter { !$0.isEmpty } + boxes.keys.filter { photos[$0] == nil }
            let rows = (names.sorted() + (found.unlabeledCount > 0 ? [""] : [])).map {
                Row(label: $0, photoCount: photos[$0] ?? 0, boxCount: boxes[$0] ?? 0)
            }
            try list.format.print(rows) {
                TextTable(
                    columns: [.text("LABEL"), .number("PHOTOS"), .number("BOXES")],
                    rows: rows.map {
                        [$0.label.isEmpty ? "(no label)" : $0.label, "\($0.photoCount)", "\($0.boxCount)"]
                    }
                ).text
            }
        }
    }

    struct Photos: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "photos",
            abstract: "List the photos of a data set.",
            discussion: """
                With --doubtful, the photos whose labels the last training doubts most: correct those that are wrong, and train again.

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The data set.")
        var name: String
        @Option(help: "Only the photos with this label; an empty text for those without one.")
        var label: String?
        @Flag(help: "Only the most doubtful photos of the last training, by doubt.")
        var doubtful = false
        @OptionGroup var list: ListOptions

        func run() async throws {
            let photos = try await reporting {
                let connection = try await location.connect()
                var tokens = PageTokens()
                var photos: [PhotoResource] = []
                var isLast = false
                while !isLast {
                    let target =
                        connection.extensions("datasets", name, "photos") + "?pageToken=\(tokens.token)"
                        + (label.map { "&label=\(HubConnection.encoded($0))" } ?? "")
                        + (doubtful ? "&doubtful=true" : "")
                    let data = try await connection.send(.get, target)
                    let page = try HubConnection.decoded(PhotoList.self, from: data)
                    photos += page.photos
                    isLast = try !tokens.advance(behind: data, to: page.nextPageToken)
                }
                return photos
            }
            try list.format.print(photos) {
                TextTable(
                    columns: [
                        .text("ID"), .text("NAME"), .text("LABEL"), .number("BOXES"), .text("PERHAPS"),
                        .number("CONFIDENCE"),
                    ],
                    rows: photos.map { photo in
                        [
                            String(photo.photoId.prefix(12)), photo.name, photo.label ?? "",
                            photo.boxes.map { "\($0.count)" } ?? "", photo.doubt?.answer ?? "",
                            photo.doubt.map { NumberText.percent($0.confidence) } ?? "",
                        ]
                    }
                ).text
            }
        }
    }

    struct Label: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "label",
            abstract: "Change the label of a photo.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The data set.")
        var name: String
        @Argument(help: "The id of the photo, or its first characters, at least eight.")
        var photo: String
        @Argument(help: "The label; an empty text for none.")
        var label: String

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                try await connection.send(
                    .patch,
                    connection.extensions("datasets", name, "photos", photo),
                    json: PhotoLabel(label: label.isEmpty ? nil : label)
                )
            }
            StandardOutput.writeLine("\(photo): \(label.isEmpty ? "no label" : label)")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Delete photos for good.",
            discussion: HubCommand.exitCodes
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The data set.")
        var name: String
        @Argument(help: "The ids of the photos, or their first characters, at least eight.")
        var photos: [String]

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                for photo in photos {
                    try await connection.send(.delete, connection.extensions("datasets", name, "photos", photo))
                    StandardOutput.writeLine("\(photo): removed")
                }
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a data set with its photos for good.",
            discussion: """
                Models that were trained on it stay.

                \(HubCommand.exitCodes)
                """
        )
        @OptionGroup var location: HubLocation
        @Argument(help: "The data set.")
        var name: String

        func run() async throws {
            try await reporting {
                let connection = try await location.connect()
                try await connection.send(.delete, connection.extensions("datasets", name))
            }
            StandardOutput.writeLine("\(name): deleted")
        }
    }
}
