import CFFmpeg
import Foundation

/// FFmpeg's libraries. The first use loads them; a failure is permanent for the process.
enum FFmpeg {
    private static let core = load(CFFLibrariesCore)
    private static let scaling = load(CFFLibrariesScaling)
    private static let devices = load(CFFLibrariesDevices)

    /// Loads the libraries that read and write files.
    static func use() throws(VideoError) { if let core { throw core } }

    /// Also loads the library that converts and scales pixels.
    static func useScaling() throws(VideoError) {
        try use()
        if let scaling { throw scaling }
    }

    /// Also loads the library that reads cameras. It depends on libraries for windows and sound, which are not used.
    static func useDevices() throws(VideoError) {
        try use()
        if let devices { throw devices }
    }

    private static func load(_ libraries: CFFLibraries) -> VideoError? {
        var failure = CFFLoadFailure()
        if cff_load(libraries, &failure) { return nil }
        return .missingLibrary(
            name: text(of: &failure.library),
            reason: text(of: &failure.reason),
            packages: text(of: &failure.package)
        )
    }

    /// FFmpeg's text for an error code.
    static func reason(_ code: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        cff_error_text(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The text of a C array of characters, up to its first 0.
    static func text<Characters>(of characters: inout Characters) -> String {
        withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
