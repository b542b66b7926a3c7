import Foundation
import TestSupport
import Testing

/// The tables of symbols in the documentation name what the code declares, and nothing else.
struct SymbolTableTests {
    private static func table(of module: String) throws -> [String] {
        let file = TestData.package.appending(path: "Sources/Facades/\(module)/Documentation.docc/Symbols.md")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    }

    private static func code(of modules: [String]) throws -> Set<String> {
        try modules.reduce(into: []) { symbols, module in
            symbols.formUnion(try PublicSymbols.all(in: TestData.package.appending(path: "Sources/Facades/\(module)")))
        }
    }

    @Test(arguments: [
        ("Firebase", ["Firebase", "FirebaseCore"]), ("FirebaseMLModelDownloader", ["FirebaseMLModelDownloader"]),
    ])
    func theTableHasEverySymbolOnce(_ module: String, _ modules: [String]) throws {
        let table = try Self.table(of: module)
        let code = try Self.code(of: modules)
        #expect(code.count > 20)
        #expect(Set(table).count == table.count)
        #expect(code.subtracting(table) == [], "declared but not in the table")
        #expect(Set(table).subtracting(code) == [], "in the table but not declared")
    }
}
