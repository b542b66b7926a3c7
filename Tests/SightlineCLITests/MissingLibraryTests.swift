#if os(Linux)
    import Foundation
    import SightlineTestSupport
    import Testing

    /// Libraries that a program opens when it needs them, on a machine where they cannot be opened.
    @Suite(.hangLimit)
    struct MissingLibraryTests {
        /// Runs the command in a folder with a picture. The loader finds useless files in the place of the libraries.
        private func run(_ arguments: String..., without libraries: [String]) async throws -> Command.Result {
            try await withTemporaryFolder { folder in
                let useless = libraries.map { ("libraries/\($0)", Data()) }
                try Pictures.write(Dictionary(uniqueKeysWithValues: useless), in: folder)
                try Pictures.write(["photo.png": try Pictures.png(red: 255)], in: folder)
                return try await Command.run(
                    arguments,
                    in: folder,
                    environment: ["LD_LIBRARY_PATH": folder.appending(path: "libraries").path]
                )
            }
        }

        @Test func namesThePackageThatHasAllOfFFmpeg() async throws {
            let video = TestData.fixture("videos/h264-aac.mp4").path
            let result = try await run("track", video, without: (55...65).map { "libavutil.so.\($0)" })
            #expect(result.status == 2)
            #expect(result.errors.contains("none of FFmpeg 4 to 9 is installed); install the package ffmpeg."))
        }

        @Test func namesTheLibraryThatAnInstalledFFmpegLacks() async throws {
            let video = TestData.fixture("videos/h264-aac.mp4").path
            let result = try await run("track", video, without: (58...63).map { "libavformat.so.\($0)" })
            #expect(result.status == 2)
            #expect(
                result.errors.contains(try Regex("libavformat.so.([0-9]+), .*; install the package libavformat\\1\\."))
            )
        }

        @Test func namesThePackagesThatDraw() async throws {
            let result = try await run(
                "detect",
                "photo.png",
                "--model",
                Command.detector,
                "--annotate",
                "found.png",
                without: ["libcairo.so.2"]
            )
            #expect(result.status != 0)
            #expect(result.errors.contains("install the packages libcairo2 and fonts-dejavu-core"))
        }

        @Test func namesThePackageThatDownloads() async throws {
            let result = try await run(
                "detect",
                "http://127.0.0.1:9/photo.png",
                "--model",
                Command.detector,
                without: ["libcurl.so.4", "libcurl-gnutls.so.4"]
            )
            #expect(result.status != 0)
            #expect(result.errors.contains("libcurl is not installed; install the package libcurl4."))
        }

        @Test(arguments: [["/nowhere/libLiteRt.so"], []]) func namesAReasonOnceForAllCameras(library: [String])
            async throws
        {
            let model = library.isEmpty ? "nowhere.tflite" : Command.detector
            let text = """
                defaults: {model: \(model)}
                cameras:
                  door: {input: "rtsp://127.0.0.1:1/"}
                  yard: {input: "rtsp://127.0.0.1:1/", every: 3}
                """
            try await withTemporaryFolder { folder in
                try Data(text.utf8).write(to: folder.appending(path: "cameras.yaml"))
                let environment = library.isEmpty ? [:] : ["SIGHTLINE_LITERT": library[0]]
                let words = ["watch", "cameras.yaml", "--check"]
                let result = try await Command.run(words, in: folder, environment: environment)
                #expect(result.status == 2)
                let lines = result.errors.split(separator: "\n")
                #expect(lines.count == 3)
                #expect(lines[0].contains(library.first ?? model))
                let cameras = ["3: The camera door cannot be watched.", "4: The camera yard cannot be watched."]
                #expect(lines.dropFirst() == cameras.map { "sightline: cameras.yaml:\($0)" }[...])
            }
        }

        @Test func namesThePackageThatPublishesEvents() async throws {
            let video = TestData.fixture("videos/h264-aac.mp4").path
            let words = ["track", video, "--model", Command.detector, "--mqtt", "mqtt://127.0.0.1:9"]
            let result = try await withTemporaryFolder { folder in
                let libraries = ["libcurl.so.4", "libcurl-gnutls.so.4"].map { ("libraries/\($0)", Data()) }
                try Pictures.write(Dictionary(uniqueKeysWithValues: libraries), in: folder)
                return try await Command.run(
                    words,
                    environment: ["LD_LIBRARY_PATH": folder.appending(path: "libraries").path]
                )
            }
            #expect(result.status == 2)
            #expect(result.errors.contains("because libcurl is not installed; install the package libcurl4."))
        }
    }
#endif
