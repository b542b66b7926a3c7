// `import MLKit` imports all of ML Kit's names in this package, as ML Kit's umbrella header does.
@_exported import MLImage
@_exported import MLKitCommon
@_exported import MLKitFaceDetection
@_exported import MLKitImageLabeling
@_exported import MLKitImageLabelingCommon
@_exported import MLKitImageLabelingCustom
@_exported import MLKitLinkFirebase
@_exported import MLKitObjectDetection
@_exported import MLKitObjectDetectionCommon
@_exported import MLKitObjectDetectionCustom
@_exported import MLKitPoseDetection
@_exported import MLKitPoseDetectionAccurate
@_exported import MLKitPoseDetectionCommon
@_exported import MLKitSegmentationCommon
@_exported import MLKitSegmentationSelfie
@_exported import MLKitVision
