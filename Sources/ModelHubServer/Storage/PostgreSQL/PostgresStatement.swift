/// A statement with PostgreSQL's parameters `$1`, `$2`, made from a statement with parameters `:name`.
struct PostgresStatement: Sendable {
    let sql: String
    /// The names of the parameters, from `$1` on.
    let names: [String]

    init(_ named: String) {
        var sql: [UInt8] = []
        var names: [String] = []
        var bytes = Array(named.utf8)[...]
        while let byte = bytes.popFirst() {
            sql.append(byte)
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                // A doubled quotation mark ends one text and begins another.
                while let next = bytes.popFirst() {
                    sql.append(next)
                    if next == byte { break }
                }
            case UInt8(ascii: "-") where bytes.first == UInt8(ascii: "-"):
                while let next = bytes.popFirst() {
                    sql.append(next)
                    if next == UInt8(ascii: "\n") { break }
                }
            case UInt8(ascii: ":"):
                let name = bytes.prefix { Self.isInName($0) }
                guard !name.isEmpty else { break }
                bytes = bytes.dropFirst(name.count)
                let text = String(decoding: name, as: UTF8.self)
                if !names.contains(text) { names.append(text) }
                let number = (names.firstIndex(of: text) ?? 0) + 1
                sql[sql.count - 1] = UInt8(ascii: "$")
                sql.append(contentsOf: String(number).utf8)
            default: break
            }
        }
        self.sql = String(decoding: sql, as: UTF8.self)
        self.names = names
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
