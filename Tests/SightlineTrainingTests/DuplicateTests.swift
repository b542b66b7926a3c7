import Foundation
import Sightline
import SightlineTestSupport
import SightlineTraining
import Testing

/// Groups of pictures that are copies of each other.
@Suite(.hangLimit)
struct DuplicateTests {
    private func groups(_ files: [String: Data]) async throws -> [DuplicateGroup] {
        try await withTemporaryFolder { folder in
            try Pictures.write(files, in: folder.appending(path: "photos"))
            return try await groups(in: folder.appending(path: "photos"))
        }
    }

    private func groups(in folder: URL) async throws -> [DuplicateGroup] {
        var options = PictureIndexerOptions(network: nil)
        (options.cache, options.workers) = (nil, 2)
        return try await PictureIndexer(options: options).index(of: folder).duplicates()
    }

    private func names(_ groups: [DuplicateGroup]) -> [[String]] { groups.map { $0.pictures.map(\.path).sorted() } }

    private func drawn(_ count: Int) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for number in 0..<count { files["\(number).jpg"] = try ChangedPicture.original(number) }
        return files
    }

    @Test(arguments: ChangedPicture.allCases)
    func aChangedCopyIsFound(change: ChangedPicture) async throws {
        var files = try drawn(8)
        for number in 0..<2 { files["\(number)-copy.jpg"] = try change.copy(of: number) }
        let found = try await groups(files)
        #expect(names(found) == (0..<2).map { ["\($0)-copy.jpg", "\($0).jpg"] })
        #expect(found.allSatisfy { !$0.isExact && $0.pictures[1].relation == .near })
        #expect(found.allSatisfy { $0.redundantBytes == $0.pictures[1].byteCount })
    }

    @Test func differentPicturesAreNoCopies() async throws {
        #expect(try await groups(try drawn(24)).isEmpty)
    }

    @Test func equalFilesAndEqualPixelsAreTold() async throws {
        let one = try ChangedPicture.original(0)
        let found = try await groups([
            "a.jpg": one, "b/c.jpg": one, "d.jpg": ChangedPicture.commented(one),
            "e.jpg": try ChangedPicture.original(1),
        ])
        // The file with a comment has more bytes.
        #expect(names(found) == [["a.jpg", "b/c.jpg", "d.jpg"]])
        #expect(found.first?.pictures.map(\.relation) == [.first, .samePixels, .samePixels])
        #expect(found.first?.isExact == true)
        let equal = try await groups(["a.jpg": one, "b.jpg": one])
        #expect(equal.first?.pictures.map(\.relation) == [.first, .sameBytes])
    }

    @Test func blankPagesAreCopiesOnlyIfAllPixelsAreTheSame() async throws {
        let found = try await groups([
            "white.png": try Pictures.png(red: 250, green: 250, blue: 250), "black.png": try Pictures.png(),
            "other white.png": try Pictures.png(red: 251, green: 251, blue: 250),
            "larger.png": try Pictures.png(red: 250, green: 250, blue: 250, width: 80),
            "a.jpg": try Pictures.jpeg(width: 40, height: 20),
            "b.jpg": ChangedPicture.commented(try Pictures.jpeg(width: 40, height: 20)),
        ])
        #expect(names(found) == [["a.jpg", "b.jpg", "black.png"]])
        #expect(found.first?.isExact == true)
    }

    @Test func severalCopiesAreOneGroupThatBeginsWithTheLargest() async throws {
        let found = try await groups([
            "a.jpg": try ChangedPicture.half.copy(of: 3), "b.jpg": try ChangedPicture.original(3),
            "c.jpg": try ChangedPicture.brighter.copy(of: 3), "d.jpg": try ChangedPicture.compressed.copy(of: 3),
        ])
        #expect(found.count == 1)
        #expect(found.first?.pictures.first.map { $0.width * $0.height } == 320 * 240)
        #expect(found.first?.pictures.count == 4)
    }

    /// Pictures that change into another one step by step: each is a copy of the next, and the first is none of the last.
    @Test(arguments: [(0, 1), (2, 5), (3, 4)])
    func allPicturesOfAGroupAreCopiesOfItsFirst(ends: (Int, Int)) async throws {
        let chain = try (0...12).map { try ChangedPicture.between(ends.0, ends.1, twelfths: $0) }
        let files = Dictionary(uniqueKeysWithValues: chain.enumerated().map { ("\($0 + 10).jpg", $1) })
        for (one, two) in zip(chain, chain.dropFirst()) {
            #expect(try await groups(["a.jpg": one, "b.jpg": two]).count == 1)
        }
        let found = try await groups(files)
        #expect(
            !found.isEmpty && !found.contains { Set($0.pictures.map(\.path)).isSuperset(of: ["10.jpg", "22.jpg"]) }
        )
        for group in found {
            let first = group.pictures[0].path
            for other in group.pictures.dropFirst().map(\.path) {
                let pair = try await groups(files.filter { $0.key == first || $0.key == other })
                #expect(pair.first?.pictures.map(\.path) == [first, other])
            }
        }
        let all = found.flatMap { $0.pictures.map(\.path) }
        #expect(Set(all).count == all.count)
        // Other names, and so another order.
        let turned = Dictionary(
            uniqueKeysWithValues: files.map { ("\(50 - (Int($0.key.prefix(2)) ?? 0)).jpg", $0.value) }
        )
        func contents(_ groups: [DuplicateGroup], _ files: [String: Data]) -> Set<[Data?]> {
            Set(
                groups.map {
                    $0.pictures.prefix(1).map { files[$0.path] }
                        + $0.pictures.dropFirst().map { files[$0.path] }
                        .sorted { ($0?.count ?? 0) < ($1?.count ?? 0) }
                }
            )
        }
        #expect(contents(try await groups(turned), turned) == contents(found, files))
    }

    @Test func aFileWithSeveralNamesIsOnePicture() async throws {
        try await withTemporaryFolder { folder in
            let photos = folder.appending(path: "photos")
            try Pictures.write(["z.jpg": try ChangedPicture.original(0)], in: photos)
            let manager = FileManager.default
            try manager.createSymbolicLink(
                at: photos.appending(path: "a.jpg"),
                withDestinationURL: photos.appending(path: "z.jpg")
            )
            try manager.createSymbolicLink(at: photos.appending(path: "loop"), withDestinationURL: photos)
            #expect(try await groups(in: photos).isEmpty)
        }
    }

    @Test func nothingIsDeleted() async throws {
        try await withTemporaryFolder { folder in
            let one = try ChangedPicture.original(0)
            try Pictures.write(["a.jpg": one, "b.jpg": one], in: folder)
            #expect(try await groups(in: folder).count == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == [".sightline-similar", "a.jpg", "b.jpg"])
        }
    }

    /// Copies of photos are found, and different photos of one kind of flower are not joined.
    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func copiesOfPhotosAreFound() async throws {
        let photos = try FlowerPhotos.all().filter { $0.label == "daisy" }
        #expect(photos.count > 90)
        var files: [String: Data] = [:]
        for (number, photo) in photos.enumerated() { files["\(number).jpg"] = try Data(contentsOf: photo.url) }
        for number in 0..<3 {
            let image = try VisionImage(data: files["\(number).jpg"] ?? Data())
            for change in ChangedPicture.allCases {
                files["\(number)-\(change.rawValue).jpg"] = try change.copy(of: image)
            }
        }
        let found = try await groups(files)
        let expected = (0..<3).map { number in
            (["\(number).jpg"] + ChangedPicture.allCases.map { "\(number)-\($0.rawValue).jpg" }).sorted()
        }
        #expect(Set(names(found)) == Set(expected))
    }
}

/// The photos of flowers in the test data.
enum FlowerPhotos {
    static func all() throws -> [(label: String, url: URL)] {
        let rows = try String(contentsOf: TestData.real("training/coarse/labels.csv"), encoding: .utf8)
        return rows.split(whereSeparator: \.isNewline).filter { $0.contains(",flower_photos,") }.map { row in
            let fields = row.split(separator: ",", omittingEmptySubsequences: false)
            return (String(fields[2]), TestData.real("training/coarse/images/\(fields[0])"))
        }
    }
}
