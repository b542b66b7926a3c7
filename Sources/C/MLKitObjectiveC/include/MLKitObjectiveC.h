// The names of ML Kit that Objective-C has and that Swift cannot declare for it: constants and types of blocks. The
// classes come from the Swift modules, and Swift code has its own names for everything here.
#pragma once

#ifdef __OBJC__

@import Foundation;

@class MLKFace;
@class MLKImageLabel;
@class MLKObject;
@class MLKPose;
@class MLKSegmentationMask;

NS_ASSUME_NONNULL_BEGIN

#define MLKIT_CONSTANT static const __attribute__((unused))

// Whether pictures are independent or form a stream.
typedef NSInteger MLKObjectDetectorMode;
MLKIT_CONSTANT MLKObjectDetectorMode MLKObjectDetectorModeSingleImage = 0;
MLKIT_CONSTANT MLKObjectDetectorMode MLKObjectDetectorModeStream = 1;

// The texts of the built-in classifier's labels.
typedef NSString *MLKDetectedObjectLabel;
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelFashionGood = @"Fashion good";
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelHomeGood = @"Home good";
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelFood = @"Food";
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelPlace = @"Place";
MLKIT_CONSTANT MLKDetectedObjectLabel MLKDetectedObjectLabelPlant = @"Plant";

// The indices of the built-in classifier's labels.
typedef NSInteger MLKDetectedObjectLabelIndex;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexFashionGood = 0;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexHomeGood = 1;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexFood = 2;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexPlace = 3;
MLKIT_CONSTANT MLKDetectedObjectLabelIndex MLKDetectedObjectLabelIndexPlant = 4;

// Whether faces are classified.
typedef NSInteger MLKFaceDetectorClassificationMode;
MLKIT_CONSTANT MLKFaceDetectorClassificationMode MLKFaceDetectorClassificationModeNone = 1;
MLKIT_CONSTANT MLKFaceDetectorClassificationMode MLKFaceDetectorClassificationModeAll = 2;

// Whether a face detector is fast or finds small faces.
typedef NSInteger MLKFaceDetectorPerformanceMode;
MLKIT_CONSTANT MLKFaceDetectorPerformanceMode MLKFaceDetectorPerformanceModeFast = 1;
MLKIT_CONSTANT MLKFaceDetectorPerformanceMode MLKFaceDetectorPerformanceModeAccurate = 2;

// Whether faces have landmarks.
typedef NSInteger MLKFaceDetectorLandmarkMode;
MLKIT_CONSTANT MLKFaceDetectorLandmarkMode MLKFaceDetectorLandmarkModeNone = 1;
MLKIT_CONSTANT MLKFaceDetectorLandmarkMode MLKFaceDetectorLandmarkModeAll = 2;

// Whether faces have contours.
typedef NSInteger MLKFaceDetectorContourMode;
MLKIT_CONSTANT MLKFaceDetectorContourMode MLKFaceDetectorContourModeNone = 1;
MLKIT_CONSTANT MLKFaceDetectorContourMode MLKFaceDetectorContourModeAll = 2;

// Whether pictures of a pose detector are independent or form a stream.
typedef NSInteger MLKPoseDetectorMode;
MLKIT_CONSTANT MLKPoseDetectorMode MLKPoseDetectorModeSingleImage = 0;
MLKIT_CONSTANT MLKPoseDetectorMode MLKPoseDetectorModeStream = 1;

// Whether pictures are independent or form a stream.
typedef NSInteger MLKSegmenterMode;
MLKIT_CONSTANT MLKSegmenterMode MLKSegmenterModeSingleImage = 0;
MLKIT_CONSTANT MLKSegmenterMode MLKSegmenterModeStream = 1;

// The points of a face.
typedef NSString *MLKFaceLandmarkType;
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeMouthBottom = @"MouthBottom";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeMouthRight = @"MouthRight";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeMouthLeft = @"MouthLeft";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeLeftEar = @"LeftEar";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeRightEar = @"RightEar";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeLeftEye = @"LeftEye";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeRightEye = @"RightEye";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeLeftCheek = @"LeftCheek";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeRightCheek = @"RightCheek";
MLKIT_CONSTANT MLKFaceLandmarkType MLKFaceLandmarkTypeNoseBase = @"NoseBase";

// The contours of a face.
typedef NSString *MLKFaceContourType;
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeFace = @"Face";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeLeftEyebrowTop = @"LeftEyebrowTop";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeLeftEyebrowBottom = @"LeftEyebrowBottom";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeRightEyebrowTop = @"RightEyebrowTop";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeRightEyebrowBottom = @"RightEyebrowBottom";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeLeftEye = @"LeftEye";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeRightEye = @"RightEye";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeUpperLipTop = @"UpperLipTop";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeUpperLipBottom = @"UpperLipBottom";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeLowerLipTop = @"LowerLipTop";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeLowerLipBottom = @"LowerLipBottom";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeNoseBridge = @"NoseBridge";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeNoseBottom = @"NoseBottom";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeLeftCheek = @"LeftCheek";
MLKIT_CONSTANT MLKFaceContourType MLKFaceContourTypeRightCheek = @"RightCheek";

// The points of a body.
typedef NSString *MLKPoseLandmarkType;
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeNose = @"Nose";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftEyeInner = @"LeftEyeInner";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftEye = @"LeftEye";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftEyeOuter = @"LeftEyeOuter";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightEyeInner = @"RightEyeInner";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightEye = @"RightEye";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightEyeOuter = @"RightEyeOuter";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftEar = @"LeftEar";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightEar = @"RightEar";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeMouthLeft = @"MouthLeft";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeMouthRight = @"MouthRight";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftShoulder = @"LeftShoulder";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightShoulder = @"RightShoulder";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftElbow = @"LeftElbow";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightElbow = @"RightElbow";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftWrist = @"LeftWrist";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightWrist = @"RightWrist";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftPinkyFinger = @"LeftPinkyFinger";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightPinkyFinger = @"RightPinkyFinger";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftIndexFinger = @"LeftIndexFinger";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightIndexFinger = @"RightIndexFinger";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftThumb = @"LeftThumb";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightThumb = @"RightThumb";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftHip = @"LeftHip";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightHip = @"RightHip";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftKnee = @"LeftKnee";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightKnee = @"RightKnee";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftAnkle = @"LeftAnkle";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightAnkle = @"RightAnkle";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftHeel = @"LeftHeel";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightHeel = @"RightHeel";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeLeftToe = @"LeftToe";
MLKIT_CONSTANT MLKPoseLandmarkType MLKPoseLandmarkTypeRightToe = @"RightToe";

// The sources of a GMLImage.
typedef NSInteger GMLImageSourceType;
MLKIT_CONSTANT GMLImageSourceType GMLImageSourceTypeImage = 0;
MLKIT_CONSTANT GMLImageSourceType GMLImageSourceTypePixelBuffer = 1;
MLKIT_CONSTANT GMLImageSourceType GMLImageSourceTypeSampleBuffer = 2;

// The notifications about downloads, and the keys of their user information.
typedef NSString *MLKModelDownloadUserInfoKey;
MLKIT_CONSTANT NSNotificationName MLKModelDownloadDidSucceedNotification = @"MLKModelDownloadDidSucceedNotification";
MLKIT_CONSTANT NSNotificationName MLKModelDownloadDidFailNotification = @"MLKModelDownloadDidFailNotification";
MLKIT_CONSTANT MLKModelDownloadUserInfoKey MLKModelDownloadUserInfoKeyRemoteModel =
    @"MLKModelDownloadUserInfoKeyRemoteModel";
MLKIT_CONSTANT MLKModelDownloadUserInfoKey MLKModelDownloadUserInfoKeyError = @"MLKModelDownloadUserInfoKeyError";

// The blocks that receive results or an error.
typedef void (^MLKObjectDetectionCallback)(NSArray<MLKObject *> *_Nullable objects, NSError *_Nullable error);
typedef void (^MLKImageLabelingCallback)(NSArray<MLKImageLabel *> *_Nullable labels, NSError *_Nullable error);
typedef void (^MLKFaceDetectionCallback)(NSArray<MLKFace *> *_Nullable faces, NSError *_Nullable error);
typedef void (^MLKPoseDetectionCallback)(NSArray<MLKPose *> *_Nullable poses, NSError *_Nullable error);
typedef void (^MLKSegmentationCallback)(MLKSegmentationMask *_Nullable mask, NSError *_Nullable error);

#undef MLKIT_CONSTANT

NS_ASSUME_NONNULL_END

#endif
