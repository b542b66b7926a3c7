import CLibFuzzer
import Foundation

// The program of `Scripts/tools fuzz coverage`: FuzzProbe TARGET [OPTIONS OF LIBFUZZER] [CORPUS …]

/// Chosen once, before the first input.
nonisolated(unsafe) var chosen: FuzzTarget?

guard let name = CommandLine.arguments.dropFirst().first, let target = FuzzTarget.all.first(where: { $0.name == name })
else {
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    exit(64)
}
chosen = target

/// The words of libFuzzer, without the target. They live as long as the process.
var words = (CommandLine.arguments.prefix(1) + CommandLine.arguments.dropFirst(2)).map { strdup($0) } + [nil]
var count = Int32(words.count - 1)
words.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    let status = LLVMFuzzerRunDriver(&count, &start) { bytes, size in
        try? chosen?.read(bytes.map { Data(bytes: $0, count: size) } ?? Data())
        return 0
    }
    exit(status)
}
