import Foundation
import SightlineTestSupport
import Testing

/// The completions of the Tab key. The printed scripts run in their shells.
@Suite(.hangLimit)
struct CompletionTests {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish

        /// The shell's program; nil if it is not installed.
        var program: URL? {
            ["/bin", "/usr/bin", "/usr/local/bin"].map { URL(filePath: $0).appending(path: rawValue) }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        }

        /// Prints each completion of the words on a line.
        var harness: String {
            switch self {
            case .bash:
                """
                source ./script
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
                _sightline sightline "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            case .zsh:
                // Completion needs the editor of a shell in a terminal.
                """
                : >found
                zmodload zsh/zpty
                zpty shell zsh -f -i
                zpty -w shell 'source ./setup'
                while zpty -r shell line && [[ $line != *READY* ]]; do :; done
                zpty -w -n shell "$*"$'\\t'
                while zpty -r shell line; do :; done
                cat found
                """
            case .fish:
                """
                source ./script
                complete -C "$argv" | cut -f 1
                """
            }
        }
    }

    /// The first input of a zsh in a terminal: the Tab key writes the completions to a file.
    private static let setup = """
        autoload -Uz compinit; compinit -u -D
        source ./script; compdef _sightline sightline
        compadd() {
            local -a found
            if (( ! ${@[(I)-[OAD]]} )); then builtin compadd -O found "$@"; print -rl -- $found >>found; fi
            builtin compadd "$@"
        }
        complete-and-exit() { zle complete-word; exit }
        zle -N complete-and-exit; bindkey '^I' complete-and-exit
        print READY

        """

    /// The completions of the last word, in a folder with a picture, a model and a folder, for a user with the model "boxes".
    private func completions(_ words: String..., in shell: Shell) async throws -> Set<String> {
        let program = try #require(shell.program)
        return try await withTemporaryFolder { folder in
            let files = ["photo.png": Data(), "plants.tflite": Data(), "photos/a.png": Data()]
            try Pictures.write(files.merging(["setup": Data(Self.setup.utf8)]) { $1 }, in: folder)
            let data = folder.appending(path: "data").path
            let installed = try await Command.run(
                ["models", "install", "boxes", "--from", Command.detector],
                environment: ["XDG_DATA_HOME": data]
            )
            #expect(installed.status == 0)
            let script = try await Command.run(["--generate-completion-script", shell.rawValue])
            try Data(script.output.utf8).write(to: folder.appending(path: "script"))
            let commands = Command.executable.deletingLastPathComponent().path
            let result = try await Command.run(
                shell == .fish
                    ? ["-c", shell.harness, words.joined(separator: " ")]
                    : ["-c", shell.harness, shell.rawValue] + words,
                in: folder,
                executable: program,
                environment: [
                    "PATH": "\(commands):/usr/local/bin:/usr/bin:/bin", "XDG_DATA_HOME": data, "HOME": folder.path,
                ]
            )
            return Set(result.lines.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
        }
    }

    static let shells = Shell.allCases.filter { $0.program != nil }
    /// Those that can ask the program without a terminal of their own.
    static let askingShells = shells.filter { $0 != .fish }

    @Test(arguments: shells, ["detect", "label", "track"])
    func completesFilesAfterACommand(_ shell: Shell, _ command: String) async throws {
        let found = try await completions("sightline", command, "pho", in: shell)
        #expect(found == ["photo.png", "photos"])
    }

    @Test(arguments: shells)
    func completesFilesAfterFilesAndOptions(_ shell: Shell) async throws {
        let found = try await completions("sightline", "detect", "photo.png", "--blur", "pho", in: shell)
        #expect(found == ["photo.png", "photos"])
    }

    @Test(arguments: askingShells)
    func completesTheNamesOfInstalledModels(_ shell: Shell) async throws {
        let found = try await completions("sightline", "detect", "--model", "bo", in: shell)
        #expect(found == ["boxes"])
    }

    @Test(arguments: askingShells)
    func completesModelFiles(_ shell: Shell) async throws {
        let found = try await completions("sightline", "evaluate", "labels", "photos", "--model", "pl", in: shell)
        #expect(found == ["plants.tflite"])
    }

    @Test(arguments: shells)
    func completesFormats(_ shell: Shell) async throws {
        #expect(try await completions("sightline", "detect", "--format", "cs", in: shell) == ["csv"])
        #expect(try await completions("sightline", "track", "--format", "mo", in: shell) == ["mot"])
    }

    @Test(arguments: shells)
    func completesWhatIsDrawn(_ shell: Shell) async throws {
        #expect(try await completions("sightline", "detect", "--draw", "bl", in: shell) == ["blur"])
    }

    @Test(arguments: askingShells)
    func completesTheCatalogForAnInstallation(_ shell: Shell) async throws {
        #expect(try await completions("sightline", "models", "install", "coco", in: shell) == ["coco-ssd-mobilenet-v1"])
    }
}
