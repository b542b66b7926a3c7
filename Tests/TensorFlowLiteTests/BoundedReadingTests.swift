import Foundation
import SightlineTestSupport
import Testing

@testable import TensorFlowLite

/// A file may use the same bytes many times over. What is read stays small all the same.
@Suite(.hangLimit) struct BoundedReadingTests {
    /// A model with nothing but tensors, all of which are one table with one name.
    private static func model(tensors count: Int, nameBytes: Int) -> Data {
        func bytes(_ values: [UInt32]) -> Data {
            values.reduce(into: Data()) { data, value in
                withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
            }
        }
        func shorts(_ values: [UInt16]) -> Data {
            values.reduce(into: Data()) { data, value in
                withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
            }
        }
        // The list of fields stands before each table: root (version 3, subgraphs), subgraph (tensors), tensor (name).
        var data = bytes([20]) + Data("TFL3".utf8) + shorts([10, 12, 4, 0, 8, 0])
        data += bytes([12, 3, 4])
        data += bytes([1, 12]) + shorts([6, 8, 4, 0]) + bytes([8, 4])
        let list = data.count
        data += bytes([UInt32(count)])
        let tensor = list + 4 + 4 * count + 12
        for index in 0..<count { data += bytes([UInt32(tensor - (list + 4 + 4 * index))]) }
        data += shorts([12, 8, 0, 0, 0, 4]) + bytes([12, 4, UInt32(nameBytes)])
        return data + Data(repeating: 0x61, count: nameBytes) + Data([0])
    }

    @Test func aModelOfSharedTensorsIsReadWhenItIsSmall() throws {
        #expect(try Model(data: Self.model(tensors: 10, nameBytes: 20)).inputs.isEmpty)
    }

    @Test func namesThatShareBytesCountEachTime() {
        let error = #expect(throws: ModelError.self) {
            try Model(data: Self.model(tensors: 20_000, nameBytes: 400_000))
        }
        guard case .corrupted(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("names and texts have more than"))
    }

    @Test func aLongNameOfAnIntermediateTensorIsCut() throws {
        let model = try Model(data: Self.model(tensors: 1, nameBytes: 400_000))
        #expect(model.graph.subgraphs[0].tensors[0].name.utf8.count == 1024)
    }

    @Test func aLongNameOfAnInputIsRefused() throws {
        let name = Data(repeating: 0x78, count: 2000)
        // The input's name moves to the end of the file.
        var data = try fixtureData("add")
        let old = try #require(data.range(of: Data([1, 0, 0, 0, 0x78, 0])))
        let pointers = (0..<old.lowerBound).filter { place in
            place % 4 == 0 && place + Int(data.integer(UInt32.self, at: place) ?? 0) == old.lowerBound
        }
        let place = try #require(pointers.first)
        while data.count % 4 != 0 { data.append(0) }
        withUnsafeBytes(of: UInt32(data.count - place).littleEndian) {
            data.replaceSubrange(place..<place + 4, with: $0)
        }
        withUnsafeBytes(of: UInt32(name.count).littleEndian) { data.append(contentsOf: $0) }
        data += name + Data([0])
        let error = #expect(throws: ModelError.self) { try Model(data: data) }
        #expect(error.map { "\($0)" }?.contains("2000 bytes, more than 1024") == true)
    }

    @Test func listsThatShareBytesCountEachTime() throws {
        let budget = FlatBufferBudget(maximumElements: 100)
        let model = try fixtureData("add")
        try model.withUnsafeBytes { bytes in
            let buffer = FlatBuffer(bytes: bytes, budget: budget)
            for _ in 0..<25 { _ = try buffer.root().tables(4) }
            #expect(throws: FlatBufferError.self) { for _ in 0..<100 { _ = try buffer.root().tables(4) } }
        }
    }
}

/// Bytes after a model that claim to be a zip archive.
@Suite(.hangLimit) struct PackedFileTests {
    private static func archive(_ entries: [(name: String, size: UInt32, offset: Int)], behind model: Data) -> Data {
        func little(_ value: some FixedWidthInteger) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
        let content = Data("hello".utf8)
        let local = little(UInt32(0x0403_4b50)) + Data(count: 26) + content
        var directory = Data()
        for entry in entries {
            let name = Data(entry.name.utf8)
            directory += little(UInt32(0x0201_4b50)) + Data(count: 12) + little(UInt32(0x3610_a686))
            directory += little(UInt32(5)) + little(entry.size) + little(UInt16(name.count)) + Data(count: 12)
            directory += little(UInt32(entry.offset)) + name
        }
        var data = model
        for _ in entries { data += local }
        let end =
            little(UInt32(0x0605_4b50)) + Data(count: 4) + little(UInt16(entries.count)) + little(UInt16(entries.count))
            + little(UInt32(directory.count)) + little(UInt32(data.count)) + Data(count: 2)
        return data + directory + end
    }

    /// Why a packed file of the model cannot be read.
    private func reason(_ data: Data) throws -> String {
        let model = try Model(data: data)
        let error = #expect(throws: ModelError.self) { try model.associatedFile(named: "0.txt") }
        return error.map { "\($0)" } ?? ""
    }

    @Test func filesThatLieApartAreRead() throws {
        let model = try fixtureData("add")
        let data = Self.archive((0..<3).map { ("\($0).txt", 5, model.count + 35 * $0) }, behind: model)
        #expect(try Model(data: data).associatedFile(named: "2.txt") == Data("hello".utf8))
    }

    @Test func filesThatShareBytesAreRefused() throws {
        let model = try fixtureData("add")
        let data = Self.archive((0..<200).map { ("\($0).txt", 5, model.count) }, behind: model)
        #expect(try reason(data).contains("share bytes"))
        #expect(throws: ModelLabelsError.self) {
            try ModelLabels.pack(Data("a\n".utf8), fileName: "dict.txt", into: data)
        }
    }

    @Test func filesThatAreTooLargeTogetherAreRefused() throws {
        let model = try fixtureData("add")
        let data = Self.archive((0..<3).map { ("\($0).txt", 30 << 20, model.count + 35 * $0) }, behind: model)
        #expect(try reason(data).contains("67108864 bytes in total"))
    }

    @Test func packingLabelsLeavesPackedFilesAsTheyLie() throws {
        let model = try fixtureData("add")
        let data = Self.archive((0..<3).map { ("\($0).txt", 5, model.count + 35 * $0) }, behind: model)
        let packed = try ModelLabels.pack(Data("a\nb\n".utf8), fileName: "dict.txt", into: data)
        #expect(packed.range(of: data) != nil)
        let result = try Model(data: packed)
        #expect(result.associatedFileNames == ["0.txt", "1.txt", "2.txt", "dict.txt"])
        for name in ["0.txt", "1.txt", "2.txt"] {
            #expect(try result.associatedFile(named: name) == Data("hello".utf8))
        }
        #expect(packed.count < data.count + 4096)
    }
}
