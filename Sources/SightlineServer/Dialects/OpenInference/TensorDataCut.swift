/// Cuts the elements of tensors out of a request's JSON, so that the rest is small and can be decoded as usual.
///
/// The elements are the values of `data` in the objects of the list `inputs`; `null` takes their place.
struct TensorDataCut {
    /// The document without elements.
    private(set) var rest: [UInt8] = []
    /// The place of each input's elements in the document; nil for an input without `data`.
    private(set) var ranges: [Range<Int>?] = []

    private let text: ArraySlice<UInt8>
    private var index: Int
    /// The brackets that are open, and the last key of the outermost object.
    private var open: [UInt8] = []
    private var outerKey = ""
    private var sawInputs = false

    private static let depthLimit = 16
    private static let objectInInputs: [UInt8] = Array("{[{".utf8)

    /// - Parameter text: the document. Whatever is not JSON stays in the rest, where decoding fails.
    /// - Throws: ``AnswerError`` if the rest has more than `limit` bytes, or names something twice.
    init(_ text: ArraySlice<UInt8>, restLimit limit: Int) throws(AnswerError) {
        self.text = text
        index = text.startIndex
        while index < text.endIndex {
            guard rest.count <= limit else {
                throw .invalid(
                    "The JSON around the tensors has more than \(limit) bytes; leave out fields that the protocol does not have."
                )
            }
            switch text[index] {
            case UInt8(ascii: "\""): try readString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard open.count < Self.depthLimit else {
                    throw .invalid("The JSON around the tensors is nested deeper than \(Self.depthLimit) levels.")
                }
                open.append(text[index])
                if open == Self.objectInInputs, outerKey == "inputs" { ranges.append(nil) }
                keep()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = open.popLast()
                keep()
            default: keep()
            }
        }
    }

    private mutating func keep() {
        rest.append(text[index])
        index += 1
    }

    /// Reads a string; if it is a key, remembers it or cuts its value.
    private mutating func readString() throws(AnswerError) {
        let start = index
        skipString()
        let string = text[start..<index]
        rest.append(contentsOf: string)
        guard open.last == UInt8(ascii: "{") else { return }
        skipSpace()
        guard index < text.endIndex, text[index] == UInt8(ascii: ":") else { return }
        keep()
        let key = string.dropFirst().dropLast()
        if open.count == 1 {
            outerKey = String(decoding: key, as: UTF8.self)
            guard outerKey == "inputs" else { return }
            guard !sawInputs else { throw .invalid("The request has \"inputs\" twice.") }
            sawInputs = true
        } else if open == Self.objectInInputs, outerKey == "inputs", key.elementsEqual("data".utf8) {
            guard let last = ranges.indices.last, ranges[last] == nil else {
                throw .invalid("An input of the request has \"data\" twice.")
            }
            skipSpace()
            let value = index
            skipValue()
            ranges[last] = value..<index
            rest.append(contentsOf: "null".utf8)
        }
    }

    private mutating func skipSpace() {
        while index < text.endIndex, text[index] == 0x20 || (0x09...0x0D).contains(text[index]) { index += 1 }
    }

    /// Advances past a string and its escapes, or to the end of the document.
    private mutating func skipString() {
        index += 1
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\"), index < text.endIndex { index += 1 }
        }
    }

    /// Advances to the comma or bracket after a value.
    private mutating func skipValue() {
        var depth = 0
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "\""):
                skipString()
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return }
                depth -= 1
            case UInt8(ascii: ","):
                if depth == 0 { return }
            default: break
            }
            index += 1
        }
    }
}
