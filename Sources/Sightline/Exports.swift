/// `import Sightline` also imports the pictures, the geometry and the file formats.
@_exported public import SightlineImages
