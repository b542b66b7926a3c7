// The code of an app in Objective-C with the names of ML Kit and Firebase: each call of the pages for iOS.
@import CoreMedia;
@import Firebase;
@import FirebaseCore;
@import FirebaseObjectiveC;
@import Foundation;
@import MLImage;
@import MLKitCommon;
@import MLKitFaceDetection;
@import MLKitImageLabeling;
@import MLKitImageLabelingCommon;
@import MLKitImageLabelingCustom;
@import MLKitLinkFirebase;
@import MLKitObjectDetection;
@import MLKitObjectDetectionCommon;
@import MLKitObjectDetectionCustom;
@import MLKitObjectiveC;
@import MLKitPoseDetection;
@import MLKitPoseDetectionAccurate;
@import MLKitPoseDetectionCommon;
@import MLKitSegmentationCommon;
@import MLKitSegmentationSelfie;
@import MLKitVision;
@import ModelHubApp;
@import UIKit;

static void detectWithMLKit(UIImage *photo, CMSampleBufferRef frame, NSString *path) {
    [SightlineHubApp configure];
    MLKLocalModel *local = [[MLKLocalModel alloc] initWithPath:path];
    MLKLocalModel *_Nullable export = [[MLKLocalModel alloc] initWithManifestPath:path];
    NSLog(@"%@ %@", local.path, export.manifestPath);

    MLKFirebaseModelSource *source = [[MLKFirebaseModelSource alloc] initWithName:@"plants"];
    MLKCustomRemoteModel *remote = [[MLKCustomRemoteModel alloc] initWithRemoteModelSource:source];
    MLKModelDownloadConditions *conditions = [[MLKModelDownloadConditions alloc] initWithAllowsCellularAccess:YES
                                                                                  allowsBackgroundDownloading:NO];
    MLKModelManager *manager = [MLKModelManager modelManager];
    NSProgress *progress = [manager downloadModel:remote conditions:conditions];
    NSLog(@"%f", progress.fractionCompleted);
    [manager deleteDownloadedModel:remote
                        completion:^(NSError *_Nullable error) {
                          NSLog(@"%@", error.localizedDescription);
                        }];
    for (NSNotificationName name in @[ MLKModelDownloadDidSucceedNotification, MLKModelDownloadDidFailNotification ])
        [NSNotificationCenter.defaultCenter addObserverForName:name
                                                        object:nil
                                                         queue:nil
                                                    usingBlock:^(NSNotification *note) {
                                                      MLKRemoteModel *model =
                                                          note.userInfo[MLKModelDownloadUserInfoKeyRemoteModel];
                                                      NSError *error = note.userInfo[MLKModelDownloadUserInfoKeyError];
                                                      if ([model.name isEqualToString:@"plants"]) NSLog(@"%@", error);
                                                    }];

    MLKCustomObjectDetectorOptions *options = [manager isModelDownloaded:remote]
                                                  ? [[MLKCustomObjectDetectorOptions alloc] initWithRemoteModel:remote]
                                                  : [[MLKCustomObjectDetectorOptions alloc] initWithLocalModel:local];
    options.detectorMode = MLKObjectDetectorModeSingleImage;
    options.shouldEnableClassification = YES;
    options.shouldEnableMultipleObjects = YES;
    options.classificationConfidenceThreshold = @(0.5);
    options.maxPerObjectLabelCount = 3;
    MLKVisionImage *image = [[MLKVisionImage alloc] initWithImage:photo];
    image.orientation = photo.imageOrientation;
    MLKVisionImage *camera = [[MLKVisionImage alloc] initWithBuffer:frame];
    GMLImage *_Nullable other = [[GMLImage alloc] initWithSampleBuffer:frame];
    if (other != nil && other.imageSourceType == GMLImageSourceTypeSampleBuffer) NSLog(@"%f", other.width);

    MLKObjectDetector *detector = [MLKObjectDetector objectDetectorWithOptions:options];
    NSError *error;
    NSArray<MLKObject *> *_Nullable objects = [detector resultsInImage:image error:&error];
    for (MLKObject *object in objects) {
        CGRect box = object.frame;
        for (MLKObjectLabel *label in object.labels)
            NSLog(@"%f %@ %@ %f %ld", box.size.width, object.trackingID, label.text, label.confidence, label.index);
    }
    MLKObjectDetectionCallback show = ^(NSArray<MLKObject *> *_Nullable found, NSError *_Nullable failure) {
      if (failure != nil || found.count == 0) return;
      MLKObjectLabel *label = found.firstObject.labels.firstObject;
      if (label.index == MLKDetectedObjectLabelIndexPlant) NSLog(@"%@ %@", label.text, MLKDetectedObjectLabelPlant);
    };
    [detector processImage:camera completion:show];
    if (other != nil) [detector processImage:other completion:show];

    MLKImageLabelerOptions *labels = [[MLKImageLabelerOptions alloc] init];
    labels.confidenceThreshold = @0;
    MLKCustomImageLabelerOptions *own = [[MLKCustomImageLabelerOptions alloc] initWithLocalModel:local];
    own.maxResultCount = 3;
    MLKImageLabeler *labeler = [MLKImageLabeler imageLabelerWithOptions:own];
    [labeler processImage:image
               completion:^(NSArray<MLKImageLabel *> *_Nullable found, NSError *_Nullable failure) {
                 for (MLKImageLabel *label in found)
                     NSLog(@"%@ %f", label.text, label.confidence);
               }];
}

static void findFacesAndPoses(MLKVisionImage *image, NSString *path) {
    MLKFaceDetectorOptions *options = [[MLKFaceDetectorOptions alloc] init];
    options.performanceMode = MLKFaceDetectorPerformanceModeAccurate;
    options.landmarkMode = MLKFaceDetectorLandmarkModeAll;
    options.classificationMode = MLKFaceDetectorClassificationModeAll;
    options.contourMode = MLKFaceDetectorContourModeNone;
    options.minFaceSize = (CGFloat)0.2;
    options.trackingEnabled = YES;
    options.localModel = [[MLKLocalModel alloc] initWithPath:path];
    MLKFaceDetector *faceDetector = [MLKFaceDetector faceDetectorWithOptions:options];
    NSError *error;
    for (MLKFace *face in [faceDetector resultsInImage:image error:&error]) {
        if (face.hasHeadEulerAngleZ && face.hasTrackingID)
            NSLog(@"%f %f %ld", face.frame.size.width, face.headEulerAngleZ, face.trackingID);
        MLKFaceLandmark *_Nullable eye = [face landmarkOfType:MLKFaceLandmarkTypeLeftEye];
        if (eye != nil) NSLog(@"%f %@", eye.position.x, eye.type);
        MLKFaceContour *_Nullable lip = [face contourOfType:MLKFaceContourTypeUpperLipBottom];
        for (MLKVisionPoint *point in lip.points)
            NSLog(@"%f", point.y);
        if (face.hasSmilingProbability || face.hasRightEyeOpenProbability) NSLog(@"%f", face.smilingProbability);
    }
    [faceDetector processImage:image
                    completion:^(NSArray<MLKFace *> *_Nullable faces, NSError *_Nullable failure) {
                      if (failure == nil) NSLog(@"%ld", faces.count);
                    }];

    MLKAccuratePoseDetectorOptions *accurate = [[MLKAccuratePoseDetectorOptions alloc] init];
    accurate.detectorMode = MLKPoseDetectorModeSingleImage;
    MLKPoseDetectorOptions *usual = [[MLKPoseDetectorOptions alloc] init];
    usual.detectorMode = MLKPoseDetectorModeStream;
    for (MLKCommonPoseDetectorOptions *poses in @[ accurate, usual ]) {
        MLKPoseDetector *poseDetector = [MLKPoseDetector poseDetectorWithOptions:poses];
        for (MLKPose *pose in [poseDetector resultsInImage:image error:&error]) {
            MLKPoseLandmark *ankle = [pose landmarkOfType:MLKPoseLandmarkTypeLeftAnkle];
            if (ankle.inFrameLikelihood > 0.5) NSLog(@"%f %f %ld", ankle.position.x, ankle.position.z, pose.landmarks.count);
        }
        [poseDetector processImage:image
                        completion:^(NSArray<MLKPose *> *_Nullable found, NSError *_Nullable failure) {
                          if (failure == nil) NSLog(@"%ld", found.count);
                        }];
    }
}

static void cutOutASelfie(MLKVisionImage *image, NSString *path) {
    MLKSelfieSegmenterOptions *options = [[MLKSelfieSegmenterOptions alloc] init];
    options.segmenterMode = MLKSegmenterModeSingleImage;
    options.shouldEnableRawSizeMask = YES;
    options.localModel = [[MLKLocalModel alloc] initWithPath:path];
    MLKSegmenter *segmenter = [MLKSegmenter segmenterWithOptions:options];
    NSError *error;
    MLKSegmentationMask *_Nullable mask = [segmenter resultsInImage:image error:&error];
    if (mask != nil) {
        CVPixelBufferRef pixels = mask.buffer;
        NSLog(@"%p", (void *)pixels);
    }
    MLKSegmentationCallback show = ^(MLKSegmentationMask *_Nullable found, NSError *_Nullable failure) {
      if (failure == nil) NSLog(@"%p", (void *)found.buffer);
    };
    [segmenter processImage:image completion:show];
}

static void detectWithFirebase(UIImage *photo, CMSampleBufferRef frame, NSString *path) {
    [FIRApp configure];
    FIROptions *settings = [[FIROptions alloc] initWithGoogleAppID:@"1:1:ios:1" GCMSenderID:@"1"];
    settings.APIKey = @"key";
    settings.projectID = @"project";
    [FIRApp configureWithName:@"other" options:settings];
    [FIRConfiguration.sharedInstance setLoggerLevel:FIRLoggerLevelWarning];
    FIRApp *_Nullable app = [FIRApp appNamed:@"other"];
    [app deleteApp:^(BOOL success) {
      NSLog(@"%d", success);
    }];

    FIRAutoMLRemoteModel *remote = [[FIRAutoMLRemoteModel alloc] initWithName:@"plants"];
    FIRModelDownloadConditions *conditions = [[FIRModelDownloadConditions alloc] initWithAllowsCellularAccess:YES
                                                                                  allowsBackgroundDownloading:YES];
    [[FIRModelManager modelManager] downloadModel:remote conditions:conditions];
    [[FIRModelManager modelManager] downloadRemoteModel:remote conditions:conditions];
    __block NSString *modelPath;
    [[FIRModelManager modelManager] getLatestModelFilePath:remote
                                                completion:^(NSString *_Nullable found, NSError *_Nullable error) {
                                                  if (error == nil) modelPath = found;
                                                }];
    [NSNotificationCenter.defaultCenter addObserverForName:FIRModelDownloadDidSucceedNotification
                                                    object:nil
                                                     queue:nil
                                                usingBlock:^(NSNotification *note) {
                                                  FIRRemoteModel *model =
                                                      note.userInfo[FIRModelDownloadUserInfoKeyRemoteModel];
                                                  NSLog(@"%@", model.name);
                                                }];

    FIRVisionObjectDetectorOptions *options = [[FIRVisionObjectDetectorOptions alloc] init];
    options.detectorMode = FIRVisionObjectDetectorModeStream;
    options.shouldEnableMultipleObjects = YES;
    FIRVisionObjectDetector *detector = [[FIRVision vision] objectDetectorWithOptions:options];
    FIRVisionImageMetadata *metadata = [[FIRVisionImageMetadata alloc] init];
    metadata.orientation = FIRVisionDetectorImageOrientationRightTop;
    FIRVisionImage *image = [[FIRVisionImage alloc] initWithBuffer:frame];
    image.metadata = metadata;
    [detector processImage:image
                completion:^(NSArray<FIRVisionObject *> *_Nullable objects, NSError *_Nullable error) {
                  for (FIRVisionObject *object in objects)
                      if (object.classificationCategory == FIRVisionObjectCategoryFood)
                          NSLog(@"%f %@ %@", object.frame.origin.x, object.trackingID, object.confidence);
                }];
    NSError *error;
    NSLog(@"%ld", [detector resultsInImage:image error:&error].count);

    FIRAutoMLLocalModel *local = [[FIRAutoMLLocalModel alloc] initWithManifestPath:path];
    FIRVisionOnDeviceAutoMLImageLabelerOptions *labels =
        [[FIRModelManager modelManager] isModelDownloaded:remote]
            ? [[FIRVisionOnDeviceAutoMLImageLabelerOptions alloc] initWithRemoteModel:remote]
            : [[FIRVisionOnDeviceAutoMLImageLabelerOptions alloc] initWithLocalModel:local];
    labels.confidenceThreshold = 0.5f;
    FIRVisionImageLabeler *labeler = [[FIRVision vision] onDeviceAutoMLImageLabelerWithOptions:labels];
    [labeler processImage:[[FIRVisionImage alloc] initWithImage:photo]
               completion:^(NSArray<FIRVisionImageLabel *> *_Nullable found, NSError *_Nullable failure) {
                 for (FIRVisionImageLabel *label in found) {
                     NSNumber *confidence = label.confidence;
                     NSLog(@"%@ %f", label.text, confidence.floatValue);
                 }
               }];

    FIRCustomLocalModel *model = [[FIRCustomLocalModel alloc] initWithModelPath:path];
    FIRModelInterpreter *interpreter = [FIRModelInterpreter modelInterpreterForLocalModel:model];
    interpreter.statsCollectionEnabled = !interpreter.isStatsCollectionEnabled;
    FIRModelInputOutputOptions *formats = [[FIRModelInputOutputOptions alloc] init];
    FIRModelInputs *inputs = [[FIRModelInputs alloc] init];
    if (![formats setInputFormatForIndex:0 type:FIRModelElementTypeFloat32 dimensions:@[ @1, @3 ] error:&error]) return;
    if (![inputs addInput:@[ @[ @1, @2, @3 ] ] error:&error]) return;
    [interpreter runWithInputs:inputs
                       options:formats
                    completion:^(FIRModelOutputs *_Nullable outputs, NSError *_Nullable failure) {
                      NSLog(@"%@", [outputs outputAtIndex:0 error:nil]);
                    }];
}

void client(UIImage *photo, CMSampleBufferRef frame, NSString *path);
void client(UIImage *photo, CMSampleBufferRef frame, NSString *path) {
    detectWithMLKit(photo, frame, path);
    findFacesAndPoses([[MLKVisionImage alloc] initWithImage:photo], path);
    cutOutASelfie([[MLKVisionImage alloc] initWithImage:photo], path);
    detectWithFirebase(photo, frame, path);
}
