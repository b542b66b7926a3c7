import Foundation
import HTTPTypes
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The pages of data sets.
@Suite(.hangLimit)
struct ConsoleDataSetTests {
    @Test func photosAreAddedLabeledAndTrainedOnInTheBrowser() async throws {
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                let created = try await browser.post("/console/datasets", ["name": "plants"])
                #expect(created.location == "/console/datasets/plants")
                #expect(try await browser.get("/console/datasets").text.contains("plants"))
                let archive = try DrawnPhotos.archive()
                let added = try await browser.upload(
                    "/console/datasets/plants/photos",
                    files: ["photos": (name: "photos.zip", data: archive)]
                )
                #expect(added.status == 303)
                let page = try await browser.get("/console/datasets/plants").text
                #expect(page.contains("24 photos added."))
                #expect(page.matches(of: /data-photo="/).count == 24)
                let shown = try await browser.get("/console/datasets/plants?show=%3Dblue").text
                #expect(shown.matches(of: /data-photo="/).count == 8)

                let id = sha256(try DrawnPhotos.picture(2, 1))
                let picture = try await browser.get("/console/datasets/plants/photos/\(id)")
                #expect(picture.headers[.contentType] == "image/jpeg" && picture.body.starts(with: [0xFF, 0xD8, 0xFF]))
                let back = try await browser.post(
                    "/console/datasets/plants/label",
                    ["photo": id, "label": "red", "query": "show=%3Dblue"]
                )
                #expect(back.location == "/console/datasets/plants?show=%3Dblue")
                let rest = try await browser.get("/console/datasets/plants?show=%3Dblue").text
                #expect(rest.matches(of: /data-photo="/).count == 7)

                _ = try await browser.post("/console/datasets/plants/train", ["model": "flowers"])
                let waiting = try await browser.get("/console/datasets/plants").text
                #expect(waiting.contains("data-poll=\"/console/datasets/plants/status\""))
                let status = try await browser.get("/console/datasets/plants/status")
                #expect(status.value("isOpen") as? Bool == true)
                #expect(try await test.hub.runNextTraining(as: "this hub")?.state == .done)
                let done = try await browser.get("/console/datasets/plants").text
                #expect(done.contains("Version 1 of flowers is staged."))
                #expect(done.contains("Look at these first"))
                #expect(done.matches(of: /data-photo="/).count == 24 + 12)
                let evaluation = try #require(done.firstMatch(of: /href="(\/console\/evaluations\/\d+)"/)).1
                #expect(try await browser.get(String(evaluation)).status == 200)

                let removed = try await browser.post("/console/datasets/plants/remove", ["photo": id])
                #expect(removed.status == 303)
                #expect(try await browser.get("/console/datasets/plants/photos/\(id)").status == 404)
            }
        }
    }

    @Test func photosToWhichAnArchiveGivesNoLabelAreCounted() async throws {
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let browser = try await ConsoleClient.signedIn(client, test.publisher)
                _ = try await browser.post("/console/datasets", ["name": "plants"])
                let archive = zipArchive([
                    (name: "labels.csv", data: Data("1.png,red\n2.png,\n".utf8)),
                    (name: "1.png", data: try DrawnPhotos.picture(0, 1)),
                    (name: "2.png", data: try DrawnPhotos.picture(0, 2)),
                ])
                let files = ["photos": (name: "photos.zip", data: archive)]
                _ = try await browser.upload("/console/datasets/plants/photos", files: files)
                let page = try await browser.get("/console/datasets/plants").text
                #expect(page.contains("2 photos added. 1 of them has no label yet."))
            }
        }
    }

    @Test func theConsoleOffersWhatTheRoleAllows() async throws {
        try await TestHub.withWorkers { test in
            try await test.serve { client in
                let owner = try await ConsoleClient.signedIn(client, test.admin)
                _ = try await owner.post("/console/datasets", ["name": "plants"])
                let picture = try DrawnPhotos.picture(0, 1)
                _ = try await owner.upload(
                    "/console/datasets/plants/photos",
                    ["label": "red"],
                    files: ["photos": (name: "<b>1.png", data: picture)]
                )
                let viewer = try await ConsoleClient.signedIn(client, test.reader)
                let page = try await viewer.get("/console/datasets/plants").text
                #expect(page.contains("<strong data-label>red</strong>") && page.contains("&lt;b&gt;1.png"))
                #expect(!page.contains("<form class=\"photo-labels\"") && !page.contains("/train\""))
                let fields = ["photo": sha256(picture), "label": "x"]
                #expect(try await viewer.post("/console/datasets/plants/label", fields).status == 403)
                let publisher = try await ConsoleClient.signedIn(client, test.publisher)
                #expect(try await publisher.post("/console/datasets/plants/delete").status == 403)
                #expect(try await owner.get("/console/datasets/plants/delete").text.contains("deleted for good"))
                #expect(try await owner.post("/console/datasets/plants/delete").status == 303)
                #expect(try await owner.get("/console/datasets/plants").status == 404)
                #expect(try await test.storedFiles().isEmpty)
            }
        }
    }
}
