/// Files that people take for models, by their first bytes.
package enum ForeignFile: CaseIterable {
    case gitPointer, webPage, hierarchicalData, pyTorch, zipArchive, onnx, picture

    /// The first bytes of such files.
    private var beginnings: [[UInt8]] {
        switch self {
        case .gitPointer: [Array("version https://git-lfs".utf8)]
        case .webPage: [Array("<".utf8)]
        case .hierarchicalData: [[0x89] + Array("HDF".utf8)]
        // The first entry of PyTorch's archives is NAME/data.pkl; before version 1.6 files began with this pickled number.
        case .pyTorch: [[0x80, 0x02, 0x8A, 0x0A, 0x6C, 0xFC, 0x9C, 0x46, 0xF9]]
        case .zipArchive: [Self.zipBeginning]
        // The version of ONNX's format, then the name of the program that wrote the file (onnx.proto, ModelProto).
        case .onnx: (3...12).map { [0x08, $0, 0x12] }
        case .picture: [[0x89] + Array("PNG".utf8), [0xFF, 0xD8, 0xFF], Array("GIF8".utf8)]
        }
    }

    /// The name of the kind, and the next step.
    private var sentence: (found: String, advice: String) {
        switch self {
        case .gitPointer: ("a Git LFS pointer", "`git lfs pull` fetches the file itself")
        case .webPage: ("a web page", "download the file itself, for example by its \"raw\" address")
        case .hierarchicalData: ("a Keras model in HDF5", "convert it with tf.lite.TFLiteConverter")
        case .pyTorch: ("a PyTorch model", Self.export)
        case .zipArchive: ("a zip archive, perhaps of Keras", "use the .tflite file that was exported")
        case .onnx: ("an ONNX model", Self.export)
        case .picture: ("a picture", "use a .tflite file")
        }
    }

    private static let zipBeginning: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    private static let export =
        "export it as TensorFlow Lite, for example with `yolo export format=tflite` or with Google's litert-torch"

    /// What the bytes are instead of a model, and the next step.
    fileprivate static func sentence(on bytes: UnsafeRawBufferPointer) -> (found: String, advice: String) {
        if isPyTorchArchive(bytes) { return pyTorch.sentence }
        if let kind = allCases.first(where: { $0.beginnings.contains { bytes.starts(with: $0) } }) {
            return kind.sentence
        }
        let beginning = bytes.prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }
        return ("bytes that begin with \(beginning.joined(separator: " "))", "use a .tflite file")
    }

    /// Whether bytes are the beginning of a zip archive whose first entry has the name that PyTorch gives it.
    package static func isPyTorchArchive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.starts(with: zipBeginning), bytes.count >= 30 else { return false }
        // The length of the name is at 26, the name at 30.
        let length = Int(bytes[26]) | Int(bytes[27]) << 8
        return bytes.dropFirst(30).prefix(length).suffix(9).elementsEqual("/data.pkl".utf8)
    }
}

extension ModelError {
    /// The error for bytes that are no model; nil for those of a model, even if it is damaged.
    package init?(foreign bytes: UnsafeRawBufferPointer) {
        // The file's identifier follows the offset of the root.
        if bytes.dropFirst(4).prefix(4).elementsEqual("TFL3".utf8) { return nil }
        let (found, advice) = ForeignFile.sentence(on: bytes)
        self = .notAModel(found: found, advice: advice)
    }
}
