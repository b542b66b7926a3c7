import Foundation
import SightlineEvaluation
import SightlineTestSupport
import Testing

/// Boxes that people drew with other tools.
@Suite(.hangLimit)
struct DrawnBoxFilesTests {
    private static let voc = """
        <?xml version="1.0"?><!-- labelImg -->
        <annotation><folder>JPEGImages</folder><filename>C:\\work\\JPEGImages\\1.png</filename>
        <size><width>320</width><height>240</height><depth>3</depth></size>
        <object><name>pine &amp; fir</name><difficult>0</difficult>
        <bndbox><xmin>10.5</xmin><ymin>20</ymin><xmax>60.5</xmax><ymax>80</ymax></bndbox></object></annotation>
        """
    private static let cvat = """
        <annotations><version>1.1</version>
        <image id="0" name="1.png" width="320" height="240">
        <box label="pine &amp; fir" source="manual" xtl="10.5" ytl="20.0" xbr="60.5" ybr="80.0" z_order="0">
        <attribute name="a">&gt;</attribute></box></image></annotations>
        """
    private static let labelStudio = """
        [{"id": 1, "data": {"image": "/data/upload/3/0a1b2c3d-1.png"}, "annotations": [{"was_cancelled": false, "result": [
        {"original_width": 320, "original_height": 240, "type": "rectanglelabels", "value": {"x": 3.28125, "y": 8.33333333333,
        "width": 15.625, "height": 25, "rotation": 0, "rectanglelabels": ["pine & fir"]}},
        {"type": "choices", "value": {"choices": ["x"]}}]}]}]
        """
    private static let minimal = """
        [{"image": "/data/local-files/?d=images/1.png", "id": 1, "label": [{"x": 3.28125, "y": 8.33333333333, "width": 15.625,
        "height": 25, "rotation": 0, "rectanglelabels": ["pine & fir"]}]}]
        """

    @Test(arguments: [
        ("Annotations/1.xml", voc, "", "JPEGImages/1.png"), ("1.xml", voc, "1.xml", "1.png"),
        ("a.xml", cvat, "a.xml", "images/1.png"), ("tasks.json", labelStudio, "tasks.json", "images/1.png"),
        ("tasks.json", minimal, "tasks.json", "images/1.png"),
    ])
    func theBoxesOfATool(name: String, text: String, opened: String, picture: String) throws {
        try withTemporaryFolder { folder in
            try Pictures.write([name: Data(text.utf8), picture: BoxedPhotos.scene(1).png], in: folder)
            let known = try AnnotatedPictures(contentsOf: opened.isEmpty ? folder : folder.appending(path: opened))
            #expect(known.annotations.categories.map(\.name) == ["pine & fir"])
            #expect(known.annotations.pictures.map(\.size) == [BoxedPhotos.size])
            #expect(throws: Never.self) { _ = try known.files.data(at: known.annotations.pictures[0].path) }
            let box = try #require(known.annotations.objects.first)
            #expect(abs(box.frame.x - 10.5) < 0.01 && abs(box.frame.maxX - 60.5) < 0.01)
            #expect(abs(box.frame.y - 20) < 0.01 && abs(box.frame.maxY - 80) < 0.01)
        }
    }

    @Test(arguments: [
        ("a.xml", "<annotations><image name=\"1\"", "a tag has no end"),
        ("a.xml", "<annotations></x>", "closes another element"),
        ("a.xml", "<annotation><filename>1</filename><object><name>a</name></object></annotation>", "no <bndbox>"),
        ("a.xml", "<html></html>", "expected <annotation>"), ("a.xml", "", "no elements"),
        ("a.json", "[1, 2]", "not of tasks of Label Studio"), ("a.json", "[{\"id\": 1}]", "no tasks of Label Studio"),
    ])
    func aDamagedFileIsRefusedWithAReason(name: String, text: String, reason: String) throws {
        try withTemporaryFolder { folder in
            try Pictures.write([name: Data(text.utf8)], in: folder)
            let error = #expect(throws: EvaluationError.self) {
                try AnnotatedPictures(contentsOf: folder.appending(path: name))
            }
            #expect(error?.description.contains(reason) ?? false, "\(String(describing: error))")
        }
    }
}
