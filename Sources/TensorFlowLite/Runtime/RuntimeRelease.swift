import Foundation

/// The release of a library that Sightline is tested with, for one system and machine. `litert.txt` lists those of LiteRT.
package struct RuntimeRelease: Sendable, Hashable {
    /// The library.
    package let product: RuntimeProduct
    /// The name of the system, as `uname -s` prints it.
    package let system: String
    /// The name of the machine, as `uname -m` prints it.
    package let machine: String
    package let version: String
    /// The SHA-256 of the wheel in hexadecimal.
    package let wheelHash: String
    /// The SHA-256 of the library in hexadecimal.
    package let libraryHash: String
    /// The address of the wheel, a zip archive.
    package let wheel: URL

    /// The path of the library in the wheel.
    package var member: String { product.member(system: system, version: version) }
    /// The name of the installed file.
    package var fileName: String { "\(product.stem).\(system == "Darwin" ? "dylib" : "so")" }
    /// The name of the folder in which the library is installed. It contains the version.
    package var folderName: String { "\(product.folderPrefix)-\(version)" }

    package static let all = releases(of: .liteRT, in: String(decoding: PackageResources.litert_txt, as: UTF8.self))

    /// Reads a list such as `litert.txt`.
    package static func releases(of product: RuntimeProduct, in text: String) -> [RuntimeRelease] {
        text.split(separator: "\n").compactMap { Self(line: $0, of: product) }
    }

    /// The release of LiteRT for this machine; nil if there is no such release.
    package static var ofThisMachine: RuntimeRelease? { ofThisMachine(among: all) }

    /// The release for this machine; nil if there is no such release.
    package static func ofThisMachine(among all: [RuntimeRelease]) -> RuntimeRelease? {
        var names = utsname()
        guard uname(&names) == 0 else { return nil }
        func text(_ field: some Any) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let (system, machine) = (text(names.sysname), text(names.machine))
        return all.first { $0.system == system && $0.machine == machine }
    }

    /// Reads a line of a list; nil for a comment.
    private init?(line: Substring, of product: RuntimeProduct) {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count == 7, fields[0] != "#", let wheel = URL(string: fields[6]) else { return nil }
        (system, machine, version, wheelHash, libraryHash) = (fields[0], fields[1], fields[2], fields[4], fields[5])
        self.wheel = wheel
        self.product = product
    }
}
