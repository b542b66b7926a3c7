/// The part of a page on which people draw lines and zones on a picture, and copy them as options of `sightline track` and as entries of
/// `sightline watch`.
///
/// A page contains the ``template`` once, the ``style`` and the ``script``. The style uses the colors of the page.
package enum ZoneDrawing {
    /// HTML in UTF-8, with the tags `{{picture}}` for the address of the picture, `{{name}}` for its name, and `{{width}}` and
    /// `{{height}}` for its size in pixels, in which coordinates are written. The address may give a smaller copy.
    package static let template = PackageResources.drawing_html
    /// CSS.
    package static let style = PackageResources.drawing_css
    /// JavaScript without modules.
    package static let script = PackageResources.drawing_js
}
