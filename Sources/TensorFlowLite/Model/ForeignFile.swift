/// Files and folders that people take for models, by their first bytes or by the names of their contents.
package struct ForeignFile: Sendable {
    /// The kind of the file, with an article.
    package let found: String
    /// The next step.
    package let advice: String

    private static let kinds: [(file: ForeignFile, matches: @Sendable (UnsafeRawBufferPointer) -> Bool)] = [
        (
            ForeignFile("a Git LFS pointer", "`git lfs pull` fetches the file itself"),
            { $0.begins("version https://git-lfs") }
        ),
        (openVINO, { $0.begins("<?xml") || $0.begins("<net") }),
        (ForeignFile("a web page", "download the file itself, for example by its \"raw\" address"), { $0.begins("<") }),
        (keras, { $0.begins([0x89] + "HDF".utf8) }),
        (pyTorch, { isPyTorchArchive($0) || $0.begins([0x80, 2, 0x8A, 0x0A, 0x6C, 0xFC, 0x9C, 0x46, 0xF9]) }),
        (keras, { ["metadata.json", "config.json", "model.weights.h5"].contains(firstEntry(of: $0)) }),
        (
            ForeignFile("a zip archive without a model that can be used", "use the .tflite or .onnx file"),
            { $0.starts(with: zipBeginning) }
        ),
        (onnx, isONNX),
        (savedModel, { isProtobuf($0, versions: 1...1) }),
        (coreML, { isProtobuf($0, versions: 2...20) }),
        (
            ForeignFile("a graph of TensorFlow", "convert it with tf.compat.v1.lite.TFLiteConverter.from_frozen_graph"),
            isGraph
        ),
        (ForeignFile("a language model in GGUF", "use a .tflite or .onnx file"), { $0.begins("GGUF") }),
        (ForeignFile("a language model for LiteRT-LM", "use a .tflite or .onnx file"), { $0.begins("LITERTLM") }),
        (ForeignFile("a model for ExecuTorch", export), { $0.dropFirst(4).starts(with: "ET".utf8) }),
        (
            ForeignFile("a TensorFlow Lite model of an older format", "convert it again with a newer TensorFlow"),
            { $0.dropFirst(4).starts(with: "TFL".utf8) }
        ),
        (
            ForeignFile("a file of weights in safetensors, without the network", export),
            { $0.count > 9 && $0[8] == UInt8(ascii: "{") && $0[7] == 0 && $0[6] == 0 }
        ),
        (
            ForeignFile("a Python pickle", "save the model itself, and export it as TensorFlow Lite"),
            { $0.count > 2 && $0[0] == 0x80 && (2...5).contains($0[1]) }
        ),
        (
            ForeignFile("a compressed archive", "unpack it, and use the .tflite or .onnx file in it"),
            { bytes in
                [[0x1F, 0x8B], [0xFD, 0x37, 0x7A], [0x37, 0x7A, 0xBC], [0x28, 0xB5, 0x2F, 0xFD]].contains(
                    where: bytes.begins
                )
            }
        ),
        (
            ForeignFile("a compressed archive", "unpack it, and use the .tflite or .onnx file in it"),
            { $0.begins("Rar!") || $0.begins("BZh") || $0.dropFirst(257).starts(with: "ustar".utf8) }
        ),
        (
            ForeignFile("a picture", "use a .tflite or .onnx file"),
            {
                $0.begins([0x89] + "PNG".utf8) || $0.begins([0xFF, 0xD8, 0xFF]) || $0.begins("GIF8")
                    || isContainer($0, "RIFF", "WEBP")
            }
        ),
        (
            ForeignFile("a video or a picture", "use a .tflite or .onnx file"),
            { $0.dropFirst(4).starts(with: "ftyp".utf8) }
        ),
        (ForeignFile("a PDF document", "use a .tflite or .onnx file"), { $0.begins("%PDF") }),
        (
            ForeignFile("source code with a model in it", "use the .tflite file from which it was made"),
            { bytes in
                ["#include", "unsigned char", "const unsigned", "alignas", "//", "/*"].contains { bytes.begins($0) }
            }
        ),
        (ForeignFile("a JSON file", "use the .tflite file that belongs to it"), { $0.begins("{") || $0.begins("[") }),
        (ForeignFile("a text", "use a .tflite or .onnx file"), { $0.count > 4 && $0.prefix(200).allSatisfy(isText) }),
    ]

    private static let keras = ForeignFile("a Keras model", "convert it with tf.lite.TFLiteConverter.from_keras_model")
    private static let savedModel = ForeignFile(
        "a SavedModel of TensorFlow",
        "convert its folder with tf.lite.TFLiteConverter.from_saved_model"
    )
    private static let pyTorch = ForeignFile("a PyTorch model", export)
    private static let onnx = ForeignFile(
        "an ONNX model",
        "export it as TensorFlow Lite, for example with `yolo export format=litert`"
    )
    private static let coreML = ForeignFile("a Core ML model", export)
    private static let openVINO = ForeignFile("an XML file, perhaps of OpenVINO", export)
    private static let export =
        "export it as ONNX or TensorFlow Lite, for example with `yolo export format=onnx` or `yolo export format=litert`"

    private init(_ found: String, _ advice: String) { (self.found, self.advice) = (found, advice) }

    /// The kind of a folder or an archive by the names of the files in it; nil if they are not known.
    package init?(namesOfFiles names: [String]) {
        let names = names.map { $0.lowercased() }
        func has(_ endings: String...) -> Bool { names.contains { name in endings.contains(where: name.hasSuffix) } }
        if has("saved_model.pb", "keras_metadata.pb") {
            self = Self.savedModel
        } else if has(".weights.h5", ".h5", ".keras", ".hdf5") {
            self = Self.keras
        } else if has(".mlmodel", ".mlpackage", ".mlmodelc", "coremldata.bin") {
            self = Self.coreML
        } else if has(".onnx") {
            self = Self.onnx
        } else if has(".pt", ".pth", ".safetensors", ".ckpt", "data.pkl") {
            self = Self.pyTorch
        } else if has(".xml"), has(".bin") {
            self = Self.openVINO
        } else if has("model.json"), has(".bin") {
            self = Self(
                "a model for TensorFlow.js",
                "use the model from which it was made, converted with tf.lite.TFLiteConverter"
            )
        } else {
            return nil
        }
    }

    /// The kind of a file's bytes.
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        if let kind = Self.kinds.first(where: { $0.matches(bytes) }) {
            self = kind.file
            return
        }
        let beginning = bytes.prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }
        let digits = beginning.joined(separator: " ")
        guard bytes.count > 8 else {
            self.init(
                "only \(bytes.count == 1 ? "one byte" : "\(bytes.count) bytes"), \(digits)",
                "fetch or export it again"
            )
            return
        }
        if bytes.prefix(512).allSatisfy({ $0 == 0 }) {
            self.init("zeros, such as an unfinished copy has", "fetch or export it again")
            return
        }
        self.init("bytes that begin with \(digits)", "use a .tflite or .onnx file")
    }

    // MARK: - Signs

    private static let zipBeginning: [UInt8] = [0x50, 0x4B, 0x03, 0x04]

    /// Whether bytes are the beginning of a zip archive whose first entry has the name that PyTorch gives it.
    package static func isPyTorchArchive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let name = firstEntry(of: bytes) else { return false }
        return ["/data.pkl", "/version", "/archive_format", "/byteorder"].contains(where: name.hasSuffix)
    }

    /// The name of the first file in a zip archive: its length is at 26, the name at 30.
    private static func firstEntry(of bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.starts(with: zipBeginning), bytes.count >= 30 else { return nil }
        let length = Int(bytes[26]) | Int(bytes[27]) << 8
        return String(decoding: bytes.dropFirst(30).prefix(length), as: UTF8.self)
    }

    /// Whether bytes are a message of Protocol Buffers with a version as field 1 and then a message as field 2, as those of SavedModel
    /// and Core ML are.
    private static func isProtobuf(_ bytes: UnsafeRawBufferPointer, versions: ClosedRange<UInt8>) -> Bool {
        guard bytes.count > 5, bytes[0] == 0x08, versions.contains(bytes[1]), bytes[2] == 0x12,
            let (_, start) = lengthOfField(bytes, at: 3), start < bytes.count
        else { return false }
        // The message's field 1, 10 or 100.
        return [0x0A, 0x52, 0xA2].contains(bytes[start])
    }

    /// The number of bytes that show whether a file is an ONNX model.
    package static let recognizedBytesOfONNX = OnnxSigns.recognizedBytes

    /// Whether bytes are the beginning of an ONNX model, with its fields in any order.
    package static let isONNX: @Sendable (UnsafeRawBufferPointer) -> Bool = { OnnxSigns.areIn($0) }

    /// Whether bytes are a GraphDef: a node with a name and the name of its operator.
    private static let isGraph: @Sendable (UnsafeRawBufferPointer) -> Bool = { bytes in
        guard bytes.first == 0x0A, let (_, node) = lengthOfField(bytes, at: 1), node < bytes.count, bytes[node] == 0x0A,
            let (length, name) = lengthOfField(bytes, at: node + 1), length < 1000, name + length < bytes.count,
            bytes[name..<name + length].allSatisfy(isText)
        else { return false }
        return bytes[name + length] == 0x12
    }

    /// The number of bytes of a field of Protocol Buffers, and the place of its first byte.
    private static func lengthOfField(_ bytes: UnsafeRawBufferPointer, at place: Int) -> (count: Int, start: Int)? {
        var count = 0
        for (shift, byte) in bytes.dropFirst(place).prefix(4).enumerated() {
            count |= Int(byte & 0x7F) << (7 * shift)
            if byte & 0x80 == 0 { return (count, place + shift + 1) }
        }
        return nil
    }

    private static func isContainer(_ bytes: UnsafeRawBufferPointer, _ kind: String, _ content: String) -> Bool {
        bytes.begins(kind) && bytes.dropFirst(8).starts(with: content.utf8)
    }

    private static func isText(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) || [9, 10, 13].contains(byte) || byte >= 0xC2
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func begins(_ bytes: [UInt8]) -> Bool { starts(with: bytes) }
    fileprivate func begins(_ text: String) -> Bool { starts(with: text.utf8) }
}

extension ModelError {
    /// The error for bytes that are not a model; nil for those of a model, even if it is damaged.
    package init?(foreign bytes: UnsafeRawBufferPointer) {
        // The file's identifier follows the offset of the root.
        if bytes.dropFirst(4).prefix(4).elementsEqual("TFL3".utf8) { return nil }
        self = bytes.isEmpty ? .empty : Self(ForeignFile(bytes))
    }

    /// The error for a file of another kind.
    package init(_ file: ForeignFile) { self = .notAModel(found: file.found, advice: file.advice) }
}
