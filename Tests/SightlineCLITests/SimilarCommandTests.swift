import Foundation
import Sightline
import SightlineTestSupport
import Testing

/// `sightline similar`, from the command line to the table, the records and the contact sheet.
@Suite(.hangLimit)
struct SimilarCommandTests {
    private static let start = TestData.fixture("models/classifier_float_metadata.tflite").path

    private func photos(in folder: URL) throws {
        var files: [String: Data] = ["photo.png": try Pictures.png(red: 200, green: 60)]
        for number in 0..<4 {
            files["photos/fire 🔥/\(number).png"] = try Pictures.png(
                red: UInt8(160 + 20 * number),
                green: UInt8(20 * number)
            )
            files["photos/sea\n\(number).png"] = try Pictures.png(
                green: UInt8(20 * number),
                blue: UInt8(160 + 20 * number)
            )
        }
        try Pictures.write(files, in: folder)
    }

    private func drawn(_ number: Int, width: Int = 320, quality: Int = 90) throws -> Data {
        let size = PixelSize(width: width, height: width * 3 / 4)
        return try GeneratedPicture.picture(number).upright(in: size).encoded(as: .jpeg, quality: quality)
    }

    private func similar(_ arguments: [String], in folder: URL) async throws -> Program.Result {
        try await Command.run(["similar"] + arguments, in: folder)
    }

    private func records(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func picturesAreRankedByLikeness() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let table = try await similar(["photo.png", "photos", "--start", Self.start, "--count", "3"], in: folder)
            #expect(table.status == 0 && table.errors.isEmpty, "\(table.errors)")
            #expect(table.output.split(separator: "\n").count(where: { $0.contains("fire 🔥/") }) == 3)
            #expect(table.output.contains("Of 8 pictures"))
            let lines = try await similar(
                ["photo.png", "photos/fire 🔥/0.png", "photos/", "--start", Self.start, "--format", "jsonl"],
                in: folder
            )
            let found = try records(lines.output)
            #expect(found.count == 2 && found[0]["photo"] as? String == "photo.png")
            let pictures = try #require(found[1]["pictures"] as? [[String: Any]])
            // The photo itself is in the folder.
            #expect(pictures.count == 7 && lines.errors.contains("is in the folder itself, and is left out"))
            #expect(pictures.allSatisfy { $0["likeness"] is Double && $0["isCopy"] is Bool })
        }
    }

    @Test func copiesAreListedAndCounted() async throws {
        try await withTemporaryFolder { folder in
            let one = try drawn(1)
            try Pictures.write(
                [
                    "photos/a.jpg": one, "photos/b/a.jpg": one, "photos/c.jpg": try drawn(2),
                    "photos/d.jpg": try drawn(1, width: 160, quality: 60),
                ],
                in: folder
            )
            let table = try await similar(["photos", "--duplicates", "--annotate", "sheet.png"], in: folder)
            #expect(table.status == 0, "\(table.errors)")
            #expect(table.output.contains("1 group among 4 pictures: 1 exact and 1 near copies of others"))
            #expect(table.output.contains("Nothing was deleted."))
            let sheet = try VisionImage(contentsOf: folder.appending(path: "sheet.png"))
            #expect(sheet.size.width > 600 && sheet.size.height > 200)
            let lines = try await similar(["photos", "--duplicates", "--format", "jsonl"], in: folder)
            let pictures = try #require(try records(lines.output).first?["pictures"] as? [[String: Any]])
            #expect(pictures.map { $0["path"] as? String } == ["a.jpg", "b/a.jpg", "d.jpg"])
            #expect(pictures.map { $0["relation"] as? String } == ["first", "sameBytes", "near"])
            #expect(lines.errors.contains("1 group among 4 pictures"))
        }
    }

    @Test func aFolderWithoutCopiesHasNone() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["photos/a.jpg": try drawn(1), "photos/b.jpg": try drawn(2)], in: folder)
            let found = try await similar(["photos", "--duplicates"], in: folder)
            #expect(found.status == 0 && found.output == "No copies among 2 pictures.\n")
            let json = try await similar(["photos", "--duplicates", "--format", "json"], in: folder)
            #expect(json.output.filter { !$0.isWhitespace } == "[]")
        }
    }

    @Test func aContactSheetShowsEachPicture() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            let made = try await similar(
                ["photo.png", "photos", "--start", Self.start, "--annotate", "sheet.png"],
                in: folder
            )
            #expect(made.status == 0, "\(made.errors)")
            let sheet = try VisionImage(contentsOf: folder.appending(path: "sheet.png")).upright()
            // Two lines of six and four places.
            #expect(sheet.width == 6 * 208 + 8 && sheet.height == 2 * 236 + 8)
        }
    }

    @Test func unreadablePicturesChangeTheExitCode() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(["photos/a.jpg": try drawn(1), "photos/b.jpg": Data("no picture".utf8)], in: folder)
            let found = try await similar(["photos", "--duplicates"], in: folder)
            #expect(found.status == 1 && found.errors.contains("b.jpg: ") && found.output.contains("1 picture"))
        }
    }

    @Test func badArgumentsAreTold() async throws {
        try await withTemporaryFolder { folder in
            try photos(in: folder)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "empty"),
                withIntermediateDirectories: false
            )
            for (arguments, status, message) in [
                (["photos"], 64, "Name a photo and then a folder"),
                (["photo.png", "photos", "--duplicates"], 64, "--duplicates takes one folder"),
                (["photos", "--duplicates", "--start", Self.start], 64, "without a network"),
                (["photos", "photo.png", "--start", Self.start], 2, "photos is a folder; name photos first"),
                (["nothing.png", "photos", "--start", Self.start], 2, "there is no such file"),
                (["photo.png", "nowhere", "--start", Self.start], 2, "there is no such folder"),
                (["photo.png", "empty", "--start", Self.start], 2, "holds no pictures"),
                (["photo.png", "photos", "--start", Command.detector], 2, "finds objects"),
                (["empty", "--duplicates", "--annotate", "sheet.txt"], 2, "sheet.txt"),
            ] {
                let found = try await similar(arguments, in: folder)
                #expect(found.status == Int32(status), "\(arguments)")
                #expect(found.errors.contains(message), "\(arguments): \(found.errors)")
            }
        }
    }
}
