// Schemas of files: records whose content is uploaded to a signed URL and downloaded from an unguessable URL.
import Type, { type Static } from 'typebox'
import { baseFields, permissionFields, StringEnum, visibilities } from './common.ts'

export const fileCategories = ['files', 'apps', 'outputs', 'artifacts', 'avatars'] as const
export type FileCategory = (typeof fileCategories)[number]

export const maxFileBytes = 5 * 1024 ** 3
/** Per POST /files: the upload rate limit counts requests, so the files of a request are limited too. */
export const maxFilesPerRequest = 100

export const contentRatings = [
  'safe',
  'sexual_suggestive',
  'sexual_explicit',
  'violence_non_graphic',
  'violence_graphic',
  'gore',
  'unrated',
] as const
export type ContentRating = (typeof contentRatings)[number]

export const File = Type.Object({
  ...baseFields,
  ...permissionFields,
  uri: Type.String({ description: 'URL of the content; use it in task inputs' }),
  upload_url: Type.String({ description: 'URL to PUT the content to; empty once it is uploaded' }),
  path: Type.String({ description: 'The path that the creator set; a label without effect on storage' }),
  remote_path: Type.String({ description: 'The path of the URI below /media/' }),
  filename: Type.String(),
  content_type: Type.String(),
  size: Type.Integer({ description: 'Bytes' }),
  category: StringEnum(fileCategories),
  rating: StringEnum(contentRatings),
})
export type File = Static<typeof File>

export const CreateFiles = Type.Object({
  files: Type.Array(
    Type.Object({
      uri: Type.String({ description: 'Send an empty string; the server assigns it' }),
      filename: Type.Optional(Type.String({ maxLength: 4096 })),
      content_type: Type.Optional(Type.String({ maxLength: 255 })),
      size: Type.Optional(
        Type.Integer({ minimum: 0, maximum: maxFileBytes, description: 'Bytes; the maximum that may be uploaded' }),
      ),
      path: Type.Optional(Type.String({ maxLength: 4096 })),
    }),
    { minItems: 1, maxItems: maxFilesPerRequest },
  ),
  category: Type.Optional(StringEnum(fileCategories)),
})
export type CreateFiles = Static<typeof CreateFiles>

export const SetFileVisibility = Type.Object({ visibility: StringEnum(visibilities) })
