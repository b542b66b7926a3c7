import DurableFiles
import Foundation
import Sightline
import SightlineTestSupport
import SightlineTraining
import Testing

/// Pictures that are like another one, and the file that keeps what was read.
@Suite(.hangLimit)
struct PictureIndexTests {
    private func indexer(cache: URL? = nil) throws -> PictureIndexer {
        var options = PictureIndexerOptions(network: LabeledPhotos.floatStart)
        (options.cache, options.workers) = (cache, 2)
        return try PictureIndexer(options: options)
    }

    private func write(in folder: URL, each count: Int = 4) throws {
        try Pictures.write(try LabeledPhotos.files(each: count), in: folder)
    }

    private func file(_ folder: URL) -> URL { folder.appending(path: ".sightline-similar") }

    @Test func theNearestPicturesShowTheSame() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            let indexer = try indexer()
            let index = try await indexer.index(of: folder)
            #expect(index.count == 12 && index.readCount == 12 && index.place == .folder)
            for (label, color) in LabeledPhotos.colors {
                let image = try VisionImage(data: LabeledPhotos.png(color, number: 50))
                let found = index.neighbors(of: try await indexer.description(of: image), atMost: 4)
                #expect(found.count == 4 && found.allSatisfy { $0.path.hasPrefix("\(label)/") && !$0.isCopy })
                #expect(found.map(\.likeness) == found.map(\.likeness).sorted(by: >))
            }
        }
    }

    @Test func theLaterOfTwoIndexFilesIsRead() async throws {
        try await withTemporaryFolder { folder in
            let (photos, cache) = (folder.appending(path: "photos"), folder.appending(path: "cache"))
            try write(in: photos, each: 2)
            #expect(try await indexer(cache: cache).index(of: photos).place == .folder)
            // The folder can no longer be written, but its file can be read.
            let earlier = try Data(contentsOf: file(photos))
            try FileManager.default.removeItem(at: file(photos))
            try FileManager.default.createDirectory(
                at: file(photos).appending(path: "x"),
                withIntermediateDirectories: true
            )
            try write(in: photos, each: 3)
            #expect(try await indexer(cache: cache).index(of: photos).readCount == 9)
            try FileManager.default.removeItem(at: file(photos))
            try earlier.write(to: file(photos))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
                ofItemAtPath: file(photos).path
            )
            #expect(try await indexer(cache: cache).index(of: photos).readCount == 0)
        }
    }

    @Test func aPictureOfTheFolderIsNotItsOwnNeighbor() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            let index = try await indexer().index(of: folder)
            let found = index.neighbors(ofPictureAt: "sky/2.png", atMost: 100)
            #expect(found.count == 11 && !found.contains { $0.path == "sky/2.png" })
            #expect(found.prefix(3).allSatisfy { $0.path.hasPrefix("sky/") })
            #expect(index.neighbors(ofPictureAt: "sky/99.png").isEmpty)
        }
    }

    @Test func aCopyOfThePhotoIsTold() async throws {
        try await withTemporaryFolder { folder in
            for number in 0..<4 {
                try ChangedPicture.original(number).write(to: folder.appending(path: "\(number).jpg"))
            }
            let indexer = try indexer()
            let index = try await indexer.index(of: folder)
            let photo = try VisionImage(data: ChangedPicture.half.copy(of: 2))
            let found = index.neighbors(of: try await indexer.description(of: photo))
            #expect(found.filter(\.isCopy).map(\.path) == ["2.jpg"] && found.first?.path == "2.jpg")
        }
    }

    @Test func aSecondRunReadsNewPicturesOnly() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            let first = try await indexer().index(of: folder)
            let stored = try Data(contentsOf: file(folder))
            #expect(try await indexer().index(of: folder).readCount == 0)
            #expect(try Data(contentsOf: file(folder)) == stored)
            try LabeledPhotos.png([60, 90, 210], number: 70).write(to: folder.appending(path: "sky/new.png"))
            try FileManager.default.removeItem(at: folder.appending(path: "sky/0.png"))
            let second = try await indexer().index(of: folder)
            #expect(second.readCount == 1 && second.count == first.count)
            #expect(second.paths.contains("sky/new.png") && !second.paths.contains("sky/0.png"))
        }
    }

    @Test func theIndexAfterChangesIsThatOfTheSameFolderReadAtOnce() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            _ = try await indexer().index(of: folder)
            // New first and middle pictures, a removed one, one with another name, and a copy.
            try LabeledPhotos.png([60, 90, 210], number: 70).write(to: folder.appending(path: "a.png"))
            try LabeledPhotos.png([200, 70, 50], number: 71).write(to: folder.appending(path: "c.png"))
            try FileManager.default.removeItem(at: folder.appending(path: "sky/0.png"))
            try FileManager.default.moveItem(
                at: folder.appending(path: "sky/1.png"),
                to: folder.appending(path: "b.png")
            )
            try FileManager.default.copyItem(
                at: folder.appending(path: "sky/2.png"),
                to: folder.appending(path: "sky/9.png")
            )
            let changed = try await indexer().index(of: folder)
            #expect(changed.readCount == 4 && changed.count == 14 && changed.paths == changed.paths.sorted())
            let stored = try Data(contentsOf: file(folder))
            #expect(changed.neighbors(ofPictureAt: "sky/9.png", atMost: 1).map(\.path) == ["sky/2.png"])
            try FileManager.default.removeItem(at: file(folder))
            let whole = try await indexer().index(of: folder)
            #expect(try Data(contentsOf: file(folder)) == stored)
            #expect(
                whole.neighbors(ofPictureAt: "b.png", atMost: 20) == changed.neighbors(ofPictureAt: "b.png", atMost: 20)
            )
        }
    }

    @Test func aChangedPictureIsReadAgain() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            _ = try await indexer().index(of: folder)
            try LabeledPhotos.png([200, 70, 50], number: 81).write(to: folder.appending(path: "sky/0.png"))
            let index = try await indexer().index(of: folder)
            #expect(index.readCount == 1)
            #expect(index.neighbors(ofPictureAt: "sky/0.png", atMost: 1).first?.path.hasPrefix("brick/") == true)
        }
    }

    @Test func theIndexDoesNotDependOnWorkers() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            var stored: [Data] = []
            for workers in [1, 3] {
                var options = PictureIndexerOptions(network: LabeledPhotos.floatStart)
                (options.cache, options.workers) = (nil, workers)
                _ = try await PictureIndexer(options: options).index(of: folder)
                stored.append(try Data(contentsOf: file(folder)))
                try FileManager.default.removeItem(at: file(folder))
            }
            #expect(stored[0] == stored[1])
        }
    }

    /// Changes of a whole file that leave one that cannot be used.
    private static let damages: [@Sendable (Data) -> Data] = [
        { $0.dropLast() }, { $0.prefix(40) }, { $0 + [0] }, { _ in Data("SLSIMILR".utf8) }, { _ in Data() },
        { file in
            var file = file
            file[file.count / 2] ^= 1
            return file
        },
    ]

    @Test(arguments: damages.indices)
    func aDamagedFileIsMadeAnew(number: Int) async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            _ = try await indexer().index(of: folder)
            let whole = try Data(contentsOf: file(folder))
            try Self.damages[number](whole).write(to: file(folder))
            let index = try await indexer().index(of: folder)
            #expect(index.readCount == 12 && index.damaged == file(folder).path)
            #expect(try Data(contentsOf: file(folder)) == whole)
        }
    }

    /// A file with a right hash whose lengths lead beyond its end, and whose numbers are as large as can be.
    @Test(arguments: [12, 16, 20, 56, 60, 64, 68, 72, 80])
    func aFileWithWrongLengthsDoesNoHarm(place: Int) async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            _ = try await indexer().index(of: folder)
            var file = try Data(contentsOf: file(folder)).dropLast(32)
            for offset in 0..<4 { file[place + offset] = 0xFF }
            var hash = SHA256()
            file.withUnsafeBytes { hash.update($0) }
            try (file + Data(hash.digest)).write(to: self.file(folder))
            let index = try await indexer().index(of: folder)
            #expect(index.count == 12)
            #expect(index.neighbors(ofPictureAt: "sky/0.png").count == 10)
            _ = try await index.duplicates()
        }
    }

    @Test func aFolderThatCannotBeWrittenHasItsIndexInTheCache() async throws {
        try await withTemporaryFolder { folder in
            let (photos, cache) = (folder.appending(path: "photos"), folder.appending(path: "cache/similar"))
            try write(in: photos)
            // Not even an administrator can replace a folder by a file.
            try FileManager.default.createDirectory(at: file(photos), withIntermediateDirectories: false)
            let first = try await indexer(cache: cache).index(of: photos)
            guard case .cache(let path) = first.place else {
                Issue.record("The index is kept in \(first.place).")
                return
            }
            #expect(FileManager.default.fileExists(atPath: path))
            let second = try await indexer(cache: cache).index(of: photos)
            #expect(second.readCount == 0 && second.place == first.place)
            // Without a cache, too.
            let third = try await indexer().index(of: photos)
            guard case .memory = third.place else {
                Issue.record("The index is kept in \(third.place).")
                return
            }
            #expect(third.readCount == 12)
        }
    }

    @Test func twoProcessesMayWriteAtOnce() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder, each: 8)
            async let one = indexer().index(of: folder)
            async let two = indexer().index(of: folder)
            #expect(try await [one.count, two.count] == [24, 24])
            #expect(try await indexer().index(of: folder).readCount == 0)
        }
    }

    @Test func aKilledProcessLeavesNothingForLong() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            try Data("half".utf8).write(to: folder.appending(path: ".partial-1234"))
            _ = try await indexer().index(of: folder)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == [".sightline-similar", "brick", "grass", "sky"])
        }
    }

    @Test func copiesAndLikenessShareAnIndex() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            var options = PictureIndexerOptions(network: nil)
            (options.cache, options.workers) = (nil, 2)
            let copies = try PictureIndexer(options: options)
            #expect(try await copies.index(of: folder).readCount == 12)
            // A network has seen none of them.
            #expect(try await indexer().index(of: folder).readCount == 12)
            // The pictures that it has seen are kept.
            #expect(try await copies.index(of: folder).readCount == 0)
            #expect(try await indexer().index(of: folder).readCount == 0)
        }
    }

    @Test func badFoldersAreToldInASentence() async throws {
        try await withTemporaryFolder { folder in
            func message(_ name: String) async -> String {
                do {
                    _ = try await indexer().index(of: folder.appending(path: name))
                    return ""
                } catch {
                    return "\(error)"
                }
            }
            try Pictures.write(["text/notes.txt": Data("x".utf8), "broken/1.jpg": Data("no picture".utf8)], in: folder)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "empty"),
                withIntermediateDirectories: false
            )
            #expect(await message("nowhere").contains("there is no such folder"))
            #expect(await message("text/notes.txt").contains("it is not a folder"))
            #expect(await message("empty").contains("holds no pictures (JPEG"))
            #expect(await message("text").contains("holds no pictures"))
            let broken = await message("broken")
            #expect(broken.contains("No picture in") && broken.contains("1.jpg: "))
            #expect(!FileManager.default.fileExists(atPath: file(folder.appending(path: "broken")).path))
        }
    }

    @Test func unreadablePicturesAreSkippedAndNamed() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(
                ["a 🌻\nb/ü.png": try LabeledPhotos.png([60, 90, 210], number: 1), "broken.jpg": Data("no".utf8)],
                in: folder
            )
            try FileManager.default.createSymbolicLink(at: folder.appending(path: "loop"), withDestinationURL: folder)
            let indexer = try indexer()
            let index = try await indexer.index(of: folder)
            #expect(index.paths == ["a 🌻\nb/ü.png"] && index.skipped.pictures.map(\.path) == ["broken.jpg"])
            #expect(index.neighbors(ofPictureAt: "a 🌻\nb/ü.png").isEmpty)
            #expect(try await index.duplicates().isEmpty)
            let photo = try await indexer.description(
                of: VisionImage(data: LabeledPhotos.png([60, 90, 210], number: 1))
            )
            let found = try #require(index.neighbors(of: photo).first)
            #expect(found.isCopy && found.likeness > 0.99)
            #expect(try await indexer.index(of: folder).paths == index.paths)
        }
    }

    @Test func aCanceledRunEnds() async throws {
        try await withTemporaryFolder { folder in
            try write(in: folder)
            let indexer = try indexer()
            let task = Task {
                try await indexer.index(of: folder) { _ in withUnsafeCurrentTask { $0?.cancel() } }
            }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    /// The nearest of 531 photos shows the same kind of flower as often as the documentation says, and the probability is near that share,
    /// also for photos without any of their kind.
    @Test(
        .enabled(if: TestData.isAvailable, TestData.reason),
        arguments: [("mobilenet-v2", 0.81, 0.1), ("the built-in network", 0.73, 0.1)]
    )
    func theNearestPhotoShowsTheSameFlower(network: String, least: Double, mostError: Double) async throws {
        try await withTemporaryFolder { folder in
            var labels: [String: String] = [:]
            for (number, photo) in try FlowerPhotos.all().enumerated() {
                let path = "\(number).jpg"
                labels[path] = photo.label
                try FileManager.default.copyItem(at: photo.url, to: folder.appending(path: path))
            }
            let model = LocalModel(url: TestData.real("models/classifiers/mobilenet_v2_1.0_224_quant.tflite"))
            var options = PictureIndexerOptions(network: network == "mobilenet-v2" ? model : .builtInFeatures)
            options.cache = nil
            let index = try await PictureIndexer(options: options).index(of: folder)
            #expect(index.isCalibrated)
            var (right, probabilities) = (0.0, 0.0)
            for path in index.paths {
                let first = try #require(index.neighbors(ofPictureAt: path, atMost: 1).first)
                let same = Set(index.paths.filter { labels[$0] == labels[path] })
                let other = try #require(index.neighbors(ofPictureAt: path, atMost: 1, excluding: same).first)
                right += labels[first.path] == labels[path] ? 1 : 0
                probabilities += (first.probability ?? 0) + (other.probability ?? 0)
            }
            let share = right / Double(index.count)
            #expect(share >= least, "\(share)")
            #expect(abs(probabilities / Double(2 * index.count) - share / 2) <= mostError, "\(probabilities)")
        }
    }
}
