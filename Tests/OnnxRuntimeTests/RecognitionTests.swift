import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

/// ONNX files have no identifier, and Protocol Buffers allow any order of fields.
@Suite(.hangLimit) struct RecognitionTests {
    private static func isONNX(_ data: Data) -> Bool { data.withUnsafeBytes(ForeignFile.isONNX) }

    /// A message with a number of fields, each of which a test writes.
    private static func message(_ write: (inout ProtoMessage) -> Void) -> ProtoMessage {
        var message = ProtoMessage()
        write(&message)
        return message
    }

    /// The fields of a model, encoded one by one.
    private static let fields: [Data] = [
        message { $0.add(1, 9) },
        message { $0.add(2, "Rust exporter") },
        message { $0.add(3, "2.1.0") },
        message { $0.add(4, "org.example") },
        message { $0.add(5, 300) },
        message { $0.add(6, "A detector.\n\tIt finds cells.") },
        message { $0.add(7, OnnxBuilder.line().graph) },
        message { $0.add(8, message { $0.add(2, 17) }) },
        message {
            $0.add(
                14,
                message {
                    $0.add(1, "names"); $0.add(2, "{0: 'cat'}")
                }
            )
        },
        message { $0.add(26, message { $0.add(1, "device") }) },
    ].map(\.bytes)

    @Test func anyOrderOfAModelsFieldsIsRecognized() {
        var random = RepeatableRandom(seed: 57)
        for _ in 0..<2000 {
            let order = Self.fields.shuffled(using: &random)
            #expect(Self.isONNX(Data(order.joined())), "\(order.map { $0[0] >> 3 })")
        }
    }

    /// The graph, the operators or the properties show an ONNX model also where texts and versions are missing.
    @Test(arguments: [
        [0, 6], [6, 0], [6, 7], [7, 6], [0, 7, 6], [5, 6], [4, 0, 6], [0, 5, 6], [8, 0], [9, 0, 6],
    ])
    func fewFieldsAreEnough(indices: [Int]) {
        #expect(Self.isONNX(Data(indices.map { Self.fields[$0] }.joined())))
    }

    @Test func theGraphOfARecognizedModelMayBeginWithAnyField() {
        let parts: [(Int, ProtoMessage)] = [
            (
                1,
                Self.message {
                    $0.add(3, "conv"); $0.add(4, "Conv")
                }
            ),
            (5, OnnxBuilder.tensor("w", .float32, [2], raw: Data(count: 8))),
            (11, Self.message { $0.add(1, "x") }),
            (
                12,
                Self.message {
                    $0.add(2, ProtoMessage()); $0.add(1, "y")
                }
            ),
            (13, Self.message { $0.add(1, "z") }),
        ]
        for (number, part) in parts {
            let graph = Self.message {
                $0.add(number, part); $0.add(2, "main")
            }
            #expect(
                Self.isONNX(
                    Self.message {
                        $0.add(7, graph); $0.add(1, 4)
                    }.bytes
                ),
                "\(number)"
            )
        }
    }

    /// A file that was cut off in a transfer is still an ONNX model, and a long graph does not fit into the recognized bytes.
    @Test func aModelIsRecognizedByItsBeginning() {
        var random = RepeatableRandom(seed: 58)
        for _ in 0..<50 {
            // Two fields suffice, whichever they are.
            let order = Self.fields.dropLast().shuffled(using: &random)
            let all = Data(order.joined())
            let place = order.firstIndex(of: Self.fields[6]) ?? 0
            let start = order[..<place].joined().count
            for count in start + 8..<all.count where place == 0 || count > start + 8 {
                #expect(Self.isONNX(all.prefix(count)), "\(order.map { $0[0] >> 3 }), \(count)")
            }
        }
    }

    @Test func aLongTextBeforeTheGraphIsSkipped() {
        let model = Self.message {
            $0.add(6, String(repeating: "words ", count: 5000))
            $0.add(7, OnnxBuilder.line().graph)
        }
        #expect(Self.isONNX(model.bytes))
    }

    // MARK: - Other files

    /// Messages of other programs: each field encoded by itself, for tests that change their order.
    private static let others: [(name: String, fields: [ProtoMessage])] = {
        let node = message {
            $0.add(1, "input"); $0.add(2, "Placeholder"); $0.add(5, message { $0.add(1, "dtype") })
        }
        let description = message {
            $0.add(1, message { $0.add(1, "image") }); $0.add(10, message { $0.add(1, "classLabel") })
        }
        let output = message { $0.add(10, message { $0.add(1, String(repeating: "l", count: 40)) }) }
        let meta = message {
            $0.add(1, message { $0.add(2, "x") }); $0.add(2, message { $0.add(1, node) })
        }
        return [
            (
                "a GraphDef",
                [
                    message { $0.add(1, node) }, message { $0.add(1, node) },
                    message { $0.add(2, message { $0.add(1, node) }) }, message { $0.add(3, 24) },
                    message { $0.add(4, message { $0.add(1, 1087) }) },
                ]
            ),
            ("a SavedModel", [message { $0.add(1, 1) }, message { $0.add(2, meta) }]),
            (
                "a Core ML model",
                [message { $0.add(1, 5) }, message { $0.add(2, description) }, message { $0.add(500, description) }]
            ),
            (
                "a Core ML model whose inputs are missing",
                [message { $0.add(1, 4) }, message { $0.add(2, output) }, message { $0.add(10, 1) }]
            ),
            (
                "a tensor of ONNX",
                [
                    message {
                        $0.add(1, 1); $0.add(1, 3)
                    }, message { $0.add(2, 1) }, message { $0.add(8, "w") },
                    message { $0.add(9, Data(count: 12)) },
                ]
            ),
            ("a network of Caffe", [message { $0.add(1, "LeNet") }, message { $0.add(100, node) }]),
            (
                "a program of Paddle",
                [
                    message {
                        $0.add(
                            1,
                            message {
                                $0.add(1, 0); $0.add(2, -1)
                            }
                        )
                    }, message { $0.add(4, message { $0.add(1, 0) }) },
                ]
            ),
            (
                "a list of labels",
                [
                    message {
                        $0.add(1, 7); $0.add(2, "cat"); $0.add(9, "Cat")
                    }
                ]
            ),
        ]
    }()

    @Test(arguments: others.indices) func otherMessagesAreNotONNX(index: Int) {
        let other = Self.others[index]
        var random = RepeatableRandom(seed: 59)
        for _ in 0..<100 {
            let data = Data(other.fields.shuffled(using: &random).map(\.bytes).joined())
            #expect(!Self.isONNX(data), "\(other.name), \(data.prefix(8).map { $0 })")
        }
    }

    @Test func textAndNoiseAreNotONNX() {
        for text in [
            "2 cats: a list of words", ": a line\n", ":orphan:\n\npip cache\n=========\n",
            "r\"\"\"Basic tests of a server.\"\"\"\n", "BEGIN", "rest of it", "{\"graph\": 1}", ":\nb\nc\nd\n",
            "\"a,b\"\n1,2\n",
        ] {
            #expect(!Self.isONNX(Data(text.utf8)), "\(text)")
        }
        var random = RepeatableRandom(seed: 60)
        var count = 0
        for _ in 0..<20_000 {
            let bytes = (0..<256).map { _ in UInt8.random(in: 0...255, using: &random) }
            if Self.isONNX(Data(bytes)) { count += 1 }
        }
        #expect(count < 20, "of 20,000")
    }

    /// A length that is larger than the file, a number without an end, a group: none reads outside the bytes.
    @Test func everyChangedByteOfABeginningIsSurvived() {
        var random = RepeatableRandom(seed: 61)
        for _ in 0..<200 {
            var data = Data(Self.fields.shuffled(using: &random).joined())
            for _ in 0..<4 {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            for count in stride(from: 0, to: data.count, by: 7) { _ = Self.isONNX(data.prefix(count)) }
        }
    }
}
