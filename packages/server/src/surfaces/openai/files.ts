// Files of the workspace in the form of OpenAI's API.
import type { ListRequest } from '@millrace/contract/common'
import type { File as FileRecord } from '@millrace/contract/files'
import type { OpenAiFile } from '@millrace/contract/openai'
import { fileDto, getFile, listFiles, storeBytes } from '#content/files/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { fileId, ofFile } from './answer-ids.ts'

const purpose = 'user_data'

export const openAiFileOf = (file: Pick<FileRecord, 'id' | 'size' | 'created_at' | 'filename'>): OpenAiFile => ({
  id: fileId(file.id),
  object: 'file',
  bytes: file.size,
  created_at: Math.floor(Date.parse(file.created_at) / 1000),
  filename: file.filename,
  purpose,
  status: 'processed',
})

const invalid = (detail: string, field?: string) =>
  fail('invalid_request', { detail, ...(field !== undefined && { meta: { field } }) })

/** The body is already in memory and bounded by the limit of the route. */
const formOf = async (bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> => {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) throw invalid('Send the file as multipart/form-data')
  return new Response(bytes, { headers: { 'content-type': contentType } }).formData().catch((cause: unknown) => {
    throw fail('invalid_request', { detail: 'The form could not be read', cause })
  })
}

export const createFile = async (
  ctx: Ctx<Member>,
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<OpenAiFile> => {
  const file = (await formOf(bytes, contentType)).get('file')
  if (file === null || typeof file === 'string') throw invalid('file is required', 'file')
  const body = new Uint8Array(await file.arrayBuffer())
  const row = await storeBytes(ctx, { body, filename: file.name, ...(file.type !== '' && { content_type: file.type }) })
  return openAiFileOf(fileDto(ctx, row))
}

export const getOpenAiFile = async (ctx: Ctx<Actor>, id: string): Promise<OpenAiFile> =>
  openAiFileOf(await getFile(ctx, ofFile(id)))

const maxListed = 100

/** Newest first; `after` is the id of the last file of the page before. */
export const listOpenAiFiles = async (ctx: Ctx<Actor>, query: { limit?: number; after?: string }) => {
  const before = query.after === undefined ? undefined : await getFile(ctx, ofFile(query.after))
  const request: ListRequest = {
    limit: Math.min(query.limit ?? maxListed, maxListed),
    sort: [{ field: 'created_at', dir: 'desc' }],
    filters: [
      { field: 'category', operator: 'eq', value: 'files' },
      ...(before ? [{ field: 'created_at', operator: 'lt', value: before.created_at }] : []),
    ],
  }
  const page = await listFiles(ctx, request)
  return {
    object: 'list' as const,
    data: page.items.map((file) => openAiFileOf(file as FileRecord)),
    has_more: page.has_next,
  }
}
