// The page "Detect objects in images with an AutoML-trained model on Apple platforms", section by section, in Swift; its French
// and Portuguese editions have the same code. Between "From the page" and "End" the code is the page's, with the numbers of a
// smaller model; AppleReplacements.swift has what stands for Apple's own.

import Firebase
import HubTestSupport
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit)
struct AutoMLDetectionPageTests {
    /// Calls `body` with the files of an export among the program's resources: a detector that finds three planted objects.
    private func withResources(_ body: () async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Data("red\ngreen\nblue".utf8).write(to: folder.appending(path: "dict.txt"))
            try FileManager.default.copyItem(at: Self.model, to: folder.appending(path: "model.tflite"))
            try await Bundle.$main.withValue(Bundle(folder: folder)) { try await body() }
        }
    }

    private static let model = TestData.fixture("models/ssd.tflite")
    // The numbers of tflite_metadata.json; the page's are 320 and 40.
    private static let side = 16
    private static let maximumDetections = 10

    // MARK: - 1. Load the model: configure a Firebase-hosted model source

    private static func remoteModel() -> CustomRemoteModel {
        // From the page:
        let remoteModel = CustomRemoteModel(
            name: "your_remote_model"  // The name you assigned in the Google Cloud console.
        )
        // End
        return remoteModel
    }

    private static func startDownload(of remoteModel: CustomRemoteModel) -> Progress {
        // From the page:
        let downloadProgress = ModelManager.modelManager().download(
            remoteModel,
            conditions: ModelDownloadConditions(
                allowsCellularAccess: true,
                allowsBackgroundDownloading: true
            )
        )
        // End
        return downloadProgress
    }

    // MARK: - 1. Load the model: create an object detector from your model

    private static func localInterpreter(print: (String) -> Void) throws -> Interpreter? {
        // From the page, which returns `true` where this returns nil:
        guard
            let modelPath = Bundle.main.path(
                forResource: "model",
                ofType: "tflite"
            )
        else {
            print("Failed to load the model file.")
            return nil
        }
        let interpreter = try Interpreter(modelPath: modelPath)
        try interpreter.allocateTensors()
        // End
        return interpreter
    }

    /// The path is that of the page's `modelPath`.
    private static func interpreter(of remoteModel: CustomRemoteModel) throws -> (
        interpreter: Interpreter, path: String
    )? {
        // From the page, which passes an optional path where one is needed that is not:
        var modelPath: String?
        if ModelManager.modelManager().isModelDownloaded(remoteModel) {
            ModelManager.modelManager().getLatestModelFilePath(remoteModel) { path, error in
                guard error == nil else { return }
                guard let path = path else { return }
                modelPath = path
            }
        } else {
            modelPath = Bundle.main.path(
                forResource: "model",
                ofType: "tflite"
            )
        }

        guard let modelPath else { return nil }
        let interpreter = try Interpreter(modelPath: modelPath)
        try interpreter.allocateTensors()
        // End
        return (interpreter, modelPath)
    }

    @Test func anInterpreterIsMadeOfTheFileAmongTheResources() async throws {
        try await withResources {
            var printed: [String] = []
            let interpreter = try Self.localInterpreter { printed.append($0) }
            #expect(interpreter?.inputTensorCount == 1)
            #expect(printed.isEmpty)
        }
        var printed: [String] = []
        let interpreter = try Self.localInterpreter { printed.append($0) }
        #expect(interpreter == nil)
        #expect(printed == ["Failed to load the model file."])
    }

    @Test func theRemoteModelTakesThePlaceOfTheLocalOneOnceItIsDownloaded() async throws {
        try await DefaultApp.withHub { hub in
            try await withResources {
                try await hub.publish("your_remote_model", Data(contentsOf: Self.model))
                let remoteModel = Self.remoteModel()
                let before = try #require(try Self.interpreter(of: remoteModel))
                #expect(before.path.hasPrefix(Bundle.main.folder.path))
                let ends = DownloadEnds(of: "your_remote_model")
                let progress = Self.startDownload(of: remoteModel)
                #expect(await ends.next().error == nil)
                #expect(progress.isFinished)
                let after = try #require(try Self.interpreter(of: remoteModel))
                #expect(!after.path.hasPrefix(Bundle.main.folder.path))
                #expect(try Self.objects(with: after.interpreter).count == 2)
            }
        }
    }

    // The observers of notifications are those of the page on labeling; see AutoMLLabelingPageTests.

    // MARK: - 2. Prepare the input image

    private static func inputData(of picture: URL) throws -> Data? {
        // From the page:
        guard let image: CGImage = try? CGImage(picture, width: side, height: side) else { return nil }
        guard
            let context = CGContext(
                data: nil,
                width: image.width,
                height: image.height,
                bitsPerComponent: 8,
                bytesPerRow: image.width * 4,
                space: CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: CGImageAlphaInfo.noneSkipFirst.rawValue
            )
        else {
            return nil
        }

        context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
        guard let imageData = context.data else { return nil }

        var inputData = Data()
        for row in 0..<side {  // Model takes 320x320 pixel images as input
            for col in 0..<side {
                // The page has 4 * (col * context.width + row), which turns the picture over its diagonal.
                let offset = 4 * (row * context.width + col)
                // (Ignore offset 0, the unused alpha channel)
                var red = imageData.load(fromByteOffset: offset + 1, as: UInt8.self)
                var green = imageData.load(fromByteOffset: offset + 2, as: UInt8.self)
                var blue = imageData.load(fromByteOffset: offset + 3, as: UInt8.self)

                inputData.append(&red, count: 1)
                inputData.append(&green, count: 1)
                inputData.append(&blue, count: 1)
            }
        }
        // End
        return inputData
    }

    @Test func theTensorHasThePixelsRowByRow() throws {
        let picture = TestData.fixture("images/large.png")
        let data = try #require(try Self.inputData(of: picture))
        #expect(data.count == Self.side * Self.side * 3)
        // As wide, and half as high: the same first row.
        let wide = try CGImage(picture, width: Self.side, height: 1)
        let context = try #require(
            CGContext(
                data: nil,
                width: Self.side,
                height: 1,
                bitsPerComponent: 8,
                bytesPerRow: Self.side * 4,
                space: CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: CGImageAlphaInfo.noneSkipFirst.rawValue
            )
        )
        context.draw(wide, in: CGRect(x: 0, y: 0, width: Self.side, height: 1))
        let row = UnsafeRawBufferPointer(start: context.data, count: Self.side * 4)
        let firstRow = row.indices.filter { $0 % 4 != 0 }.map { row[$0] }
        #expect(Array(data.prefix(Self.side * 3)) == firstRow)
    }

    // MARK: - 3. and 4. Run the object detector, get information about detected objects

    private struct Found: Equatable {
        let label: String
        let confidence: Float
        let topLeft: [Float]
        let bottomRight: [Float]
    }

    private static func objects(with interpreter: Interpreter) throws -> [Found] {
        let inputData = try #require(try inputData(of: TestData.fixture("images/large.png")))
        var found: [Found] = []
        // From the page (`_ =` is for Linux, where Foundation's function wants it):
        try interpreter.copy(inputData, toInputAt: 0)
        try interpreter.invoke()

        var output = try interpreter.output(at: 0)
        let boundingBoxes =
            UnsafeMutableBufferPointer<Float32>.allocate(capacity: 4 * maximumDetections)
        _ = output.data.copyBytes(to: boundingBoxes)

        output = try interpreter.output(at: 1)
        let labels =
            UnsafeMutableBufferPointer<Float32>.allocate(capacity: maximumDetections)
        _ = output.data.copyBytes(to: labels)

        output = try interpreter.output(at: 2)
        let probabilities =
            UnsafeMutableBufferPointer<Float32>.allocate(capacity: maximumDetections)
        _ = output.data.copyBytes(to: probabilities)
        // End: the page never gives the memory back.
        defer { for memory in [boundingBoxes, labels, probabilities] { memory.deallocate() } }
        // The page takes all 40 entries; those beyond the count are whatever memory held.
        let count = try interpreter.output(at: 3).data.withUnsafeBytes { Int($0.loadUnaligned(as: Float32.self)) }

        // From the page:
        guard
            let labelPath = Bundle.main.path(
                forResource: "dict",
                ofType: "txt"
            )
        else { return [] }
        let fileContents = try? String(contentsOfFile: labelPath, encoding: .utf8)
        guard let labelText = fileContents?.components(separatedBy: "\n") else { return [] }

        for i in 0..<min(count, maximumDetections) {
            // The page has [0 * i], [1 * i], [2 * i] and [3 * i]; each box has four numbers in a row.
            let top = boundingBoxes[4 * i]
            let left = boundingBoxes[4 * i + 1]
            let bottom = boundingBoxes[4 * i + 2]
            let right = boundingBoxes[4 * i + 3]

            let labelIdx = Int(labels[i])
            let label = labelText[labelIdx]
            let confidence = probabilities[i]

            if confidence > 0.66 {
                // The page prints them.
                found.append(
                    Found(label: label, confidence: confidence, topLeft: [left, top], bottomRight: [right, bottom])
                )
            }
        }
        // End
        return found
    }

    @Test func boxesLabelsAndConfidencesAreReadFromTheTensors() async throws {
        try await withResources {
            let interpreter = try #require(try Self.localInterpreter { _ in })
            let found = try Self.objects(with: interpreter)
            #expect(found.map(\.label) == ["red", "blue"])
            let boxes: [[Float]] = [[0.20, 0.10, 0.60, 0.50], [0.55, 0.50, 0.95, 0.90]]
            let confidences: [Float] = [0.9, 0.8]
            for (object, confidence) in zip(found, confidences) { #expect(abs(object.confidence - confidence) < 0.01) }
            for (object, box) in zip(found, boxes) {
                let corners = object.topLeft + object.bottomRight
                for (one, other) in zip(corners, box) { #expect(abs(one - other) < 0.01) }
            }
        }
    }
}
