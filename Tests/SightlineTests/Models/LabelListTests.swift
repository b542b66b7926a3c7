import Foundation
import SightlineTestSupport
import Testing

@testable import Sightline

@Suite(.hangLimit) struct LabelListTests {
    private func names(_ bytes: [UInt8]) throws -> [String] {
        try LabelList(parsing: Data(bytes), source: "labels.txt").names
    }

    @Test(arguments: [
        "cat\ndog\n", "cat\r\ndog\r\n", "cat\ndog", "\u{FEFF}cat\ndog\n", "cat\ndog\n\n\n", "cat \n dog\n",
    ])
    func lineEndsMarksAndBlankLastLinesAreTolerated(text: String) throws {
        #expect(try names(Array(text.utf8)) == ["cat", "dog"])
    }

    @Test func utf16WithAByteOrderMarkIsRead() throws {
        let bytes = Array(try #require("Käse\nBrot\n".data(using: .utf16)))
        #expect(try names(bytes) == ["Käse", "Brot"])
    }

    @Test func aBlankLineBetweenNamesKeepsItsPlace() throws {
        #expect(try names(Array("cat\n\ndog".utf8)) == ["cat", "", "dog"])
    }

    @Test func numbersBeforeTheNamesAreTheirPlaces() throws {
        #expect(try names(Array("0 Class 1\n1 Class 2\n".utf8)) == ["Class 1", "Class 2"])
        #expect(try names(Array("0  person\n2  car\n".utf8)) == ["person", "", "car"])
    }

    @Test(arguments: [
        "0:red\n1:green\n2:blue", "0: red\n1: green\n2: blue", "2 blue\n0 red\n1 green",
        "\u{FEFF}2: blue\r\n0: red\r\n1: green\r\n",
        "0,red\n1,green\n2,blue", "id,name\n0,red\n1,\"green\"\n2,blue", "0\tred\n1\tgreen\n2\tblue",
        "0. red\n1. green\n2. blue",
        "0:red\n\n1:green\n\n2:blue\n", "{\"0\": \"red\", \"1\": \"green\", \"2\": \"blue\"}",
        "[\"red\", \"green\", \"blue\"]",
        "{'green': 1, 'red': 0, 'blue': 2}",
        "{\"1\": [\"n02\", \"green\"], \"0\": [\"n01\", \"red\"], \"2\": [\"n03\", \"blue\"]}",
        "n01440764 red\nn01443537 green\nn01484850 blue",
    ])
    func everyFormOfAListGivesTheNamesInTheOrderOfTheirClasses(text: String) throws {
        #expect(try names(Array(text.utf8)) == ["red", "green", "blue"])
    }

    @Test func classesThatAListLeavesOutHaveNoNames() throws {
        #expect(try names(Array("3: blue\n0: red\n1: green".utf8)) == ["red", "green", "", "blue"])
    }

    @Test func numbersFromOneOnLeaveTheFirstToTheBackground() throws {
        let list = try LabelList(parsing: Data("2: dog\n1: cat\n".utf8), source: "labels.txt")
        #expect(try list.aligned(toClassifierWith: 2, model: "m")[0] == "cat")
        let counted = try list.aligned(toClassifierWith: 3, model: "m")
        #expect(counted[1] == "cat" && counted.backgroundIndex == 0)
        #expect(try list.aligned(toDetectorWith: 2, model: "m")[1] == "dog")
    }

    @Test func `A list of more names than a model can have is refused with the limit`() throws {
        let most = Data(String(repeating: "a\n", count: 100_000).utf8)
        #expect(try LabelList(parsing: most, source: "labels.txt").names.count == 100_000)
        for text in ["a\n", "\n", "\u{0C}"] {
            let error = #expect(throws: LocalModelError.self) {
                try LabelList(parsing: Data(String(repeating: text, count: 100_002).utf8), source: "labels.txt")
            }
            #expect(error?.description.contains("it has more than 100000 lines, the largest number of names") == true)
        }
    }

    @Test func `A text of more than 4 MB is refused, also if a sidecar names it`() throws {
        let long = Data(repeating: 0x61, count: 4 << 20 + 1)
        try withTemporaryFolder { folder in
            let error = #expect(throws: LocalModelError.self) { try LabelList(parsing: long, source: "labels.txt") }
            #expect(error?.description.contains("it has more than 4 MB, the largest size") == true)
            let model = folder.appending(path: "m.tflite")
            try FileManager.default.copyItem(at: TestData.fixture("models/classifier_float.tflite"), to: model)
            // The caller, a manifest, a sidecar, and the model's name.
            let manifest = Data("{\"modelFile\": \"m.tflite\", \"labelsFile\": \"dict.txt\"}".utf8)
            let sidecar = Data("{\"labels\": \"long.txt\"}".utf8)
            let cases: [(files: [String: Data], model: LocalModel)] = [
                (["long.txt": long], LocalModel(url: model, labels: folder.appending(path: "long.txt"))),
                (
                    ["dict.txt": long, "manifest.json": manifest],
                    LocalModel(url: folder.appending(path: "manifest.json"))
                ),
                (["long.txt": long, "m.sightline.json": sidecar], LocalModel(url: model)),
                (["m.sightline.json": long], LocalModel(url: model)),
                (["manifest.json": long], LocalModel(url: folder.appending(path: "manifest.json"))),
                (["m.txt": long], LocalModel(url: model)),
            ]
            for (files, model) in cases {
                for (name, content) in files { try content.write(to: folder.appending(path: name)) }
                let error = #expect(throws: LocalModelError.self) {
                    try ImageLabeler(options: ImageLabelerOptions(model: model))
                }
                #expect(error?.description.contains("more than 4 MB") == true)
                for name in files.keys { try FileManager.default.removeItem(at: folder.appending(path: name)) }
            }
        }
    }

    @Test func theLabelMapOfTensorFlowIsRead() throws {
        let text = """
            # Two of COCO's classes.
            item {
              name: "/m/01g317"
              id: 1
              display_name: "person"
            }
            item { name: 'dog', id: 3 keypoints { id: 7 label: "nose" } }
            """
        #expect(try names(Array(text.utf8)) == ["???", "person", "", "dog"])
    }

    @Test(arguments: [
        "0: cat\n0: dog", "item { id: 1 name: 'cat' } item { id: 1 name: 'dog' }", "{\"0\": 1.5}", "item { id: 4 }",
    ])
    func aListThatContradictsItselfIsRefused(text: String) {
        #expect(throws: LocalModelError.self) { try names(Array(text.utf8)) }
    }

    @Test func numbersThatFitNoClassBelongToTheNames() throws {
        let list = try LabelList(parsing: Data("1 dollar\n5 dollars\n".utf8), source: "labels.txt")
        #expect(try list.aligned(toClassifierWith: 2, model: "m")[1] == "5 dollars")
    }

    @Test(arguments: [
        "1 cent\n2 cent\n5 cent", "4:3\n16:9", "2 wheels\n3 wheels", "0 cat\ndog", "0 cat\n0 dog", "7up\n8up",
        "0 cat\n999999999 dog", "0cat",
    ])
    func numbersThatAreNoPlacesBelongToTheNames(text: String) throws {
        #expect(try names(Array(text.utf8)) == text.split(separator: "\n").map(String.init))
    }

    @Test(arguments: [[0x4B, 0xE4, 0x73, 0x65], [], [0x0A, 0x0A], [0x00, 0x01, 0x02]] as [[UInt8]])
    func bytesThatAreNoListOfNamesAreRefused(bytes: [UInt8]) {
        #expect(throws: LocalModelError.self) { try names(bytes) }
    }

    @Test func aClassifierMayCountABackgroundClass() throws {
        let list = LabelList(names: ["background", "cat", "dog"], source: "labels.txt")
        let names = try list.aligned(toClassifierWith: 3, model: "m.tflite")
        #expect(names.backgroundIndex == 0)
        #expect(names[1] == "cat")
    }

    @Test func aBackgroundNameThatTheModelDoesNotCountIsSkipped() throws {
        let list = LabelList(names: ["???", "cat", "dog"], source: "labels.txt")
        let classifier = try list.aligned(toClassifierWith: 2, model: "m.tflite")
        #expect(classifier[0] == "cat" && classifier.backgroundIndex == nil)
        #expect(try list.aligned(toDetectorWith: 2, model: "m.tflite")[1] == "dog")
    }

    @Test func aWrongCountIsAnErrorThatShowsBothNumbers() throws {
        let list = LabelList(names: ["cat", "dog"], source: "labels.txt")
        let error = #expect(throws: LocalModelError.self) { try list.aligned(toClassifierWith: 5, model: "m.tflite") }
        #expect(error == .labelCount(model: "m.tflite", source: "labels.txt", labels: 2, classes: 5))
        let text = "\(try #require(error))"
        #expect(text.contains("2 labels") && text.contains("5 classes"))
        #expect(throws: LocalModelError.self) { try list.aligned(toDetectorWith: 3, model: "m.tflite") }
    }
}
