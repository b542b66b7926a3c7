import Foundation
import Sightline
import SightlineImages
import SightlineTestSupport
import SightlineTraining

/// Generated pictures that a last layer can tell apart, and networks that see their colors.
enum LabeledPhotos {
    /// A network of random weights with 32 features of 8 bits.
    static let uint8Start = LocalModel(url: TestData.fixture("models/uint8_classifier.tflite"))
    /// A network whose features are the means of red, green and blue.
    static let floatStart = LocalModel(url: TestData.fixture("models/classifier_float_metadata.tflite"))
    /// Float features between an input and an output of 8 bits.
    static let mixedStart = LocalModel(url: TestData.fixture("models/classifier_uint8_metadata.tflite"))

    /// The colors of the labels.
    static let colors: [(label: String, color: [Int])] = [
        ("brick", [200, 70, 50]), ("grass", [70, 180, 60]), ("sky", [60, 90, 210]),
    ]

    /// A picture of squares in shades of a color, different for each number.
    static func png(_ color: [Int], number: Int) throws -> Data {
        var random = RepeatableRandom(seed: UInt64(number) &* 7919 &+ UInt64(color[0]))
        let (side, cell) = (48, 12)
        let shades = (0..<16).map { _ in
            color.map { UInt8(clamping: $0 + Int.random(in: -55...55, using: &random)) }
        }
        var bytes = Data()
        for row in 0..<side {
            for column in 0..<side { bytes.append(contentsOf: shades[row / cell * 4 + column / cell]) }
        }
        let pixels = try PixelBuffer(
            format: .rgb,
            width: side,
            height: side,
            planes: [.init(data: bytes, bytesPerRow: side * 3)]
        )
        return try pixels.encoded(as: .png)
    }

    /// Files in a folder for each label.
    static func files(each count: Int = 8) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for (label, color) in colors {
            for number in 0..<count { files["\(label)/\(number).png"] = try png(color, number: number) }
        }
        return files
    }

    /// Options that keep no features and draw few pictures.
    static func options(_ start: LocalModel = uint8Start) -> LabelTrainerOptions {
        var options = LabelTrainerOptions(start: start)
        (options.cache, options.drawnPictures, options.workers) = (nil, 1, 2)
        return options
    }

    /// Trains on files in a folder.
    static func trained(
        _ files: [String: Data],
        in folder: URL,
        _ options: LabelTrainerOptions = options(),
        nothing: URL? = nil,
        severalLabels: Bool = false
    ) async throws -> TrainedLabels {
        let place = folder.appending(path: "photos")
        try Pictures.write(files, in: place)
        let pictures = try TrainingPictures(contentsOf: place, nothing: nothing, severalLabels: severalLabels)
        return try await LabelTrainer(options: options).train(pictures, named: "colors")
    }

    /// Copies real photos of flowers into a folder for each label.
    ///
    /// - Returns: The labels.
    @discardableResult
    static func copyFlowers(each count: Int, to folder: URL) throws -> [String] {
        let rows = try String(contentsOf: TestData.real("training/coarse/labels.csv"), encoding: .utf8)
        var counts: [String: Int] = [:]
        for row in rows.split(whereSeparator: \.isNewline) where row.contains(",flower_photos,") {
            let fields = row.split(separator: ",", omittingEmptySubsequences: false)
            let number = counts[String(fields[2]), default: 0] + 1
            guard number <= count else { continue }
            counts[String(fields[2])] = number
            let photo = try Data(contentsOf: TestData.real("training/coarse/images/\(fields[0])"))
            try Pictures.write(["\(fields[2])/\(number).jpg": photo], in: folder)
        }
        return counts.keys.sorted()
    }
}
