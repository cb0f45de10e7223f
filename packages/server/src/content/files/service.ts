// The interface of files for other features.

export { fileDto } from './dto.ts'
export { deleteFile, getFile, listFiles } from './files.ts'
export { type FileValue, replaceInputFiles } from './input-files.ts'
export { receiveInputFiles } from './receive-input.ts'
export { adoptOutputs, bundleChecksum, deleteFiles, fileByUri, filesByUris, type KnownFile } from './references.ts'
export { type NewBytes, storeBytes } from './uploads.ts'
