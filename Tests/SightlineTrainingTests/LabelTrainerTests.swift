import Foundation
import Sightline
import SightlineTestSupport
import SightlineTraining
import TensorFlowLite
import Testing

/// Models that are made of a network and pictures with labels.
@Suite(.hangLimit)
struct LabelTrainerTests {
    @Test(arguments: [LabeledPhotos.uint8Start, LabeledPhotos.floatStart, LabeledPhotos.mixedStart])
    func aModelNamesPicturesThatItNeverSaw(start: LocalModel) async throws {
        try await withTemporaryFolder { folder in
            let trained = try await LabeledPhotos.trained(
                try LabeledPhotos.files(),
                in: folder,
                LabeledPhotos.options(start)
            )
            #expect(trained.labels == ["brick", "grass", "sky"])
            #expect(trained.report.top1 > 0.9)
            let model = folder.appending(path: "colors")
            try trained.write(to: model)
            let labeler = try ImageLabeler(options: ImageLabelerOptions(model: LocalModel(url: model)))
            for (label, color) in LabeledPhotos.colors {
                for number in 100..<104 {
                    let image = try VisionImage(data: LabeledPhotos.png(color, number: number))
                    #expect(try await labeler.labels(in: image).first?.text == label)
                }
            }
        }
    }

    @Test func aModelKeepsTheTypesOfItsStart() async throws {
        try await withTemporaryFolder { folder in
            for (start, type) in [
                (LabeledPhotos.uint8Start, Tensor.DataType.uInt8), (LabeledPhotos.mixedStart, .uInt8),
                (LabeledPhotos.floatStart, .float32),
            ] {
                let trained = try await LabeledPhotos.trained(
                    try LabeledPhotos.files(each: 3),
                    in: folder,
                    LabeledPhotos.options(start)
                )
                let model = try Model(data: trained.model)
                #expect(model.inputs.map(\.dataType) == [type] && model.outputs.map(\.dataType) == [type])
                #expect(model.inputs.map(\.name) == ["image"] && model.outputs.map(\.name) == ["scores"])
                #expect(
                    model.metadata?.outputs.first?.scoreThreshold.map(Double.init)
                        == trained.report.bestThreshold.map { Double(Float($0)) }
                )
                #expect(
                    String(decoding: try model.associatedFile(named: "labels.txt"), as: UTF8.self)
                        == "brick\ngrass\nsky\n"
                )
            }
        }
    }

    @Test func theSamePicturesGiveTheSameModelWhateverTheWorkersAndTheOrder() async throws {
        try await withTemporaryFolder { folder in
            let files = try LabeledPhotos.files(each: 6)
            var options = LabeledPhotos.options()
            options.workers = 1
            let one = try await LabeledPhotos.trained(files, in: folder.appending(path: "one"), options)
            options.workers = 3
            let two = try await LabeledPhotos.trained(files, in: folder.appending(path: "two"), options)
            #expect(one.model == two.model)
            #expect(one.card.dataSHA256 == two.card.dataSHA256)
            #expect(one.report.top1 == two.report.top1)
            let other = try await LabeledPhotos.trained(
                try LabeledPhotos.files(each: 5),
                in: folder.appending(path: "other"),
                options
            )
            #expect(other.model != one.model && other.card.dataSHA256 != one.card.dataSHA256)
        }
    }

    @Test func featuresAreKeptForASecondTraining() async throws {
        try await withTemporaryFolder { folder in
            var options = LabeledPhotos.options()
            options.cache = folder.appending(path: "cache")
            let files = try LabeledPhotos.files(each: 4)
            let first = try await LabeledPhotos.trained(files, in: folder, options)
            let kept = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "cache").path)
            #expect(kept.count == 1)
            let file = folder.appending(path: "cache").appending(path: try #require(kept.first))
            let whole = try Data(contentsOf: file)
            // A process that was killed leaves the beginning of a record.
            try whole.dropLast(7).write(to: file)
            #expect(try await LabeledPhotos.trained(files, in: folder, options).model == first.model)
            #expect(try Data(contentsOf: file).count == whole.count)
            // A damaged disk changes a byte.
            var damaged = whole
            damaged[40] ^= 0xFF
            try damaged.write(to: file)
            #expect(try await LabeledPhotos.trained(files, in: folder, options).model == first.model)
        }
    }

    @Test func picturesOfNothingAreNotNamed() async throws {
        try await withTemporaryFolder { folder in
            var nothing: [String: Data] = [:]
            for number in 0..<8 { nothing["\(number).png"] = try LabeledPhotos.png([30, 30, 30], number: number) }
            try Pictures.write(nothing, in: folder.appending(path: "nothing"))
            let trained = try await LabeledPhotos.trained(
                try LabeledPhotos.files(),
                in: folder,
                nothing: folder.appending(path: "nothing")
            )
            #expect(trained.labels == ["background", "brick", "grass", "sky"])
            try trained.write(to: folder.appending(path: "model"))
            let labeler = try ImageLabeler(
                options: ImageLabelerOptions(model: LocalModel(url: folder.appending(path: "model")))
            )
            let other = try VisionImage(data: LabeledPhotos.png([25, 30, 35], number: 50))
            #expect(try await labeler.labels(in: other).isEmpty)
            let brick = try VisionImage(data: LabeledPhotos.png([200, 70, 50], number: 51))
            #expect(try await labeler.labels(in: brick).map(\.text) == ["brick"])
        }
    }

    @Test func aReportShowsThePicturesOfNothingToo() async throws {
        try await withTemporaryFolder { folder in
            // One of them is a brick, so that it is shown among the mistakes.
            let odd = try LabeledPhotos.png([200, 70, 50], number: 3)
            var nothing = ["other/odd.png": odd]
            for number in 0..<8 {
                nothing["other/\(number).png"] = try LabeledPhotos.png([30, 30, 30], number: number)
            }
            try Pictures.write(nothing, in: folder)
            let trained = try await LabeledPhotos.trained(
                try LabeledPhotos.files(),
                in: folder,
                nothing: folder.appending(path: "other")
            )
            let doubts = try #require(trained.html.components(separatedBy: "Perhaps mislabeled").last)
            #expect(doubts.contains("other/odd.png"))
            #expect(!trained.html.contains("<div class=\"missing\">no picture"))
        }
    }

    /// Also where a picture in the archive has the same path as one of nothing.
    @Test(arguments: ["odd.png", "brick/1.png"])
    func aReportOnAnArchiveShowsThePicturesOfNothingToo(name: String) async throws {
        try await withTemporaryFolder { folder in
            let odd = try LabeledPhotos.png([200, 70, 50], number: 3)
            var nothing = ["brick/\(name)": odd]
            for number in 0..<8 {
                nothing["brick/\(number).png"] = try LabeledPhotos.png([30, 30, 30], number: number)
            }
            try Pictures.write(nothing, in: folder)
            var archive = ZipBuilder()
            for (path, content) in try LabeledPhotos.files().sorted(by: { $0.key < $1.key }) {
                archive.add(path, content)
            }
            let file = folder.appending(path: "photos.zip")
            try archive.data.write(to: file)
            let pictures = try TrainingPictures(contentsOf: file, nothing: folder.appending(path: "brick"))
            let trained = try await LabelTrainer(options: LabeledPhotos.options()).train(pictures, named: "colors")
            let doubts = try #require(trained.html.components(separatedBy: "Perhaps mislabeled").last)
            #expect(doubts.contains("brick 2/\(name)"))
            #expect(!trained.html.contains("<div class=\"missing\">no picture"))
        }
    }

    @Test func twoPicturesOfALabelAreEnoughAndAreSaidToBeFew() async throws {
        try await withTemporaryFolder { folder in
            var files = try LabeledPhotos.files()
            files = files.filter { !$0.key.hasPrefix("sky/") || $0.key < "sky/2" }
            let trained = try await LabeledPhotos.trained(files, in: folder)
            #expect(trained.card.labels.map(\.pictures) == [8, 8, 2])
            #expect(trained.card.warnings.contains { $0.hasPrefix("Few pictures") && $0.contains("sky 2") })
        }
    }

    /// Layers that learn from fewer pictures are worse where labels have few, and the figure is that of the model of all.
    @Test func theFigureIsThatOfTheModelOfAllPictures() async throws {
        try await withTemporaryFolder { folder in
            var files: [String: Data] = [:]
            for label in 0..<12 {
                let color = [60 + 10 * label, 190 - 9 * label, 60 + 40 * (label % 4)]
                for number in 0..<4 { files["\(label)/\(number).png"] = try LabeledPhotos.png(color, number: number) }
            }
            let card = try await LabeledPhotos.trained(files, in: folder).card
            #expect(card.rightShare >= card.measuredShare)
            #expect(card.rightInterval.lower <= card.rightShare && card.rightShare <= card.rightInterval.upper)
            #expect(card.method.contains("is expected to add") == (card.rightShare - card.measuredShare >= 0.0005))
        }
    }

    @Test func aPictureCanHaveSeveralLabels() async throws {
        try await withTemporaryFolder { folder in
            var rows = ""
            var files: [String: Data] = [:]
            for number in 0..<10 {
                for (name, color, labels) in [
                    ("r", [220, 40, 40], "red"), ("b", [40, 40, 220], "blue"), ("p", [220, 40, 220], "red,blue"),
                    ("n", [40, 40, 40], ""),
                ] {
                    files["\(name)\(number).png"] = try LabeledPhotos.png(color, number: number)
                    rows += "\(name)\(number).png,\(labels)\n"
                }
            }
            files["labels.csv"] = Data(rows.utf8)
            try Pictures.write(files, in: folder)
            let pictures = try TrainingPictures(contentsOf: folder.appending(path: "labels.csv"), severalLabels: true)
            #expect(pictures.count == 40 && pictures.labels == ["blue", "red"])
            let trained = try await LabelTrainer(options: LabeledPhotos.options(LabeledPhotos.floatStart))
                .train(pictures, named: "colors")
            #expect(try Model(data: trained.model).operators.contains { $0.name == "LOGISTIC" })
            try trained.write(to: folder.appending(path: "model"))
            var options = ImageLabelerOptions(model: LocalModel(url: folder.appending(path: "model")))
            options.confidenceThreshold = 0.5
            let labeler = try ImageLabeler(options: options)
            func labels(_ color: [Int]) async throws -> Set<String> {
                Set(try await labeler.labels(in: VisionImage(data: LabeledPhotos.png(color, number: 70))).map(\.text))
            }
            #expect(try await labels([220, 40, 220]) == ["blue", "red"])
            #expect(try await labels([220, 40, 40]) == ["red"])
            #expect(try await labels([40, 40, 40]).isEmpty)
        }
    }

    @Test func copiesAreNeverLearnedFromAndMeasuredAtOnce() async throws {
        try await withTemporaryFolder { folder in
            // Pictures without any pattern: who learned a copy is right, who did not can only guess.
            var files: [String: Data] = [:]
            var random = RepeatableRandom(seed: 5)
            for number in 0..<24 {
                let color = (0..<3).map { _ in Int.random(in: 60...190, using: &random) }
                let label = number.isMultiple(of: 2) ? "even" : "odd"
                let picture = try LabeledPhotos.png(color, number: number)
                for copy in 0..<3 { files["\(label)/\(number)-\(copy).png"] = picture }
            }
            let trained = try await LabeledPhotos.trained(files, in: folder)
            #expect(trained.card.nearDuplicateCount >= 48)
            #expect(trained.report.top1 < 0.8)
            #expect(trained.card.warnings.contains { $0.hasPrefix("Most pictures are nearly the same: even, odd") })
        }
    }

    @Test func picturesOfOneSceneAreLearnedAndTheWarningSaysWhatTheFiguresHoldFor() async throws {
        try await withTemporaryFolder { folder in
            var files: [String: Data] = [:]
            for number in 0..<24 {
                let label = number.isMultiple(of: 2) ? "closed" : "open"
                files["\(label)/\(number).png"] = try LabeledPhotos.png([120, 120, 120 + number % 3], number: 1)
            }
            let trained = try await LabeledPhotos.trained(files, in: folder)
            #expect(trained.card.warnings.first?.hasPrefix("All pictures show one scene") == true)
        }
    }

    @Test func changedCopiesAreNeverLearnedFromAndMeasuredAtOnce() async throws {
        try await withTemporaryFolder { folder in
            // Labels by chance: who learned a copy is right, who did not can only guess.
            var files: [String: Data] = [:]
            for number in 0..<8 {
                let label = number.isMultiple(of: 2) ? "even" : "odd"
                files["\(label)/\(number).jpg"] = try ChangedPicture.original(number)
                for change in [ChangedPicture.half, .cropped] {
                    files["\(label)/\(number)-\(change.rawValue).jpg"] = try change.copy(of: number)
                }
            }
            let trained = try await LabeledPhotos.trained(files, in: folder)
            #expect(trained.card.nearDuplicateCount >= 16)
            #expect(trained.report.top1 < 0.8)
        }
    }

    @Test func theIntervalContainsTheShareOfOtherPictures() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await LabeledPhotos.trained(try LabeledPhotos.files(each: 10), in: folder)
            #expect(trained.interval.lower <= trained.report.top1 && trained.report.top1 <= trained.interval.upper)
            #expect(trained.interval.upper - trained.interval.lower > 0.05)
            #expect(trained.card.measuredCount == 30 && trained.report.pictureCount == 30)
        }
    }

    @Test func aMislabeledPictureIsShown() async throws {
        try await withTemporaryFolder { folder in
            var files = try LabeledPhotos.files(each: 12)
            files["grass/wrong.png"] = try LabeledPhotos.png([60, 90, 210], number: 77)
            let trained = try await LabeledPhotos.trained(files, in: folder)
            let doubts = try #require(trained.html.components(separatedBy: "Perhaps mislabeled").last?.prefix(40_000))
            #expect(doubts.contains("grass/wrong.png") && doubts.contains("looks like <b class=\"bad\">sky</b>"))
        }
    }

    @Test func aCanceledTrainingEnds() async throws {
        try await withTemporaryFolder { folder in
            try Pictures.write(try LabeledPhotos.files(), in: folder.appending(path: "photos"))
            let pictures = try TrainingPictures(contentsOf: folder.appending(path: "photos"))
            let trainer = try LabelTrainer(options: LabeledPhotos.options())
            let task = Task {
                try await trainer.train(pictures, named: "colors") { _ in withUnsafeCurrentTask { $0?.cancel() } }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    /// The runtime names most flowers right with the written model, and its probabilities add up to 1.
    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func flowersAreNamed() async throws {
        try await withTemporaryFolder { folder in
            let photos = folder.appending(path: "photos")
            let counts = try LabeledPhotos.copyFlowers(each: 8, to: photos)
            var options = LabeledPhotos.options(
                LocalModel(url: TestData.real("models/classifiers/mobilenet_v2_1.0_224_quant.tflite"))
            )
            options.drawnPictures = 0
            let pictures = try TrainingPictures(contentsOf: photos)
            let trained = try await LabelTrainer(options: options).train(pictures, named: "flowers")
            #expect(trained.report.top1 > 0.5)
            let model = folder.appending(path: "model")
            try trained.write(to: model)
            var labeling = ImageLabelerOptions(model: LocalModel(url: model))
            labeling.confidenceThreshold = 0
            let labeler = try ImageLabeler(options: labeling)
            var right = 0
            for label in counts {
                let found = try await labeler.labels(in: photos.appending(path: "\(label)/1.jpg"))
                if found.first?.text == label { right += 1 }
                #expect(abs(found.reduce(0) { $0 + $1.confidence } - 1) < 0.03)
            }
            #expect(right >= 4)
            // The weights of the network are unchanged, and those of the old layer are gone.
            #expect(trained.model.count < 2_400_000)
        }
    }

    /// The built-in network recognizes flowers that the built-in labeler, the start of earlier versions, does not.
    @Test(.enabled(if: TestData.isAvailable, TestData.reason))
    func theBuiltInNetworkTellsMoreFlowersThanTheLabeler() async throws {
        try await withTemporaryFolder { folder in
            try LabeledPhotos.copyFlowers(each: 40, to: folder)
            let pictures = try TrainingPictures(contentsOf: folder)
            #expect(LabelTrainerOptions().start == .builtInFeatures)
            var right: [Double] = []
            for start in [LocalModel.builtInFeatures, .builtInLabeler] {
                let trained = try await LabelTrainer(options: LabeledPhotos.options(start)).train(
                    pictures,
                    named: "flowers"
                )
                right.append(trained.report.top1)
            }
            #expect(right[0] > 0.7 && right[0] > right[1] + 0.1, "\(right)")
        }
    }

    @Test func aModelOfTheBuiltInNetworkComputesWithBytes() async throws {
        try await withTemporaryFolder { folder in
            let trained = try await LabeledPhotos.trained(
                try LabeledPhotos.files(each: 3),
                in: folder,
                LabeledPhotos.options(.builtInFeatures)
            )
            let model = try Model(data: trained.model)
            #expect(model.inputs.map(\.dataType) == [.uInt8] && model.outputs.map(\.dataType) == [.uInt8])
            #expect(trained.card.start.features == 384)
        }
    }
}
