// The engine's calls to the API: registration and the upload of output files. Every call sends the engine's key except
// the upload itself, whose URL is signed.

import { setTimeout as sleep } from 'node:timers/promises'
import { type RegisterRequest, RegisterResponse } from '@millrace/contract/engine-frames'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Agent, request } from 'undici'
import { parseJson, readBounded, tryParseJson } from './bounded-json.ts'
import { messageOf, TaskFailure } from './failures.ts'
import type { FoundFile } from './files/output-files.ts'
import { throughApi } from './outbound/server-address.ts'

const checkRegistered = Compile(RegisterResponse)
const checkFiles = Compile(Type.Array(Type.Object({ uri: Type.String(), upload_url: Type.String() }), { minItems: 1 }))

/** A refusal by the API that a retry will not change. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Api = {
  register: (body: RegisterRequest) => Promise<RegisterResponse>
  upload: (file: FoundFile) => Promise<string>
  close: () => Promise<void>
}

export type ApiOptions = { apiUrl: string; apiKey: string; teamId?: string }

const uploadTries = 4
// A registration lists the workers of one machine, so a larger response is an error.
const maxAnswerBytes = 16 * 1024 * 1024

export const createApi = ({ apiUrl, apiKey, teamId }: ApiOptions): Api => {
  const dispatcher = new Agent({ headersTimeout: 120_000, bodyTimeout: 120_000 })
  const base = apiUrl.replace(/\/+$/, '')
  // The server sends its public URL in its first response.
  let baseUrl = base
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    ...(teamId && { 'x-team-id': teamId }),
  }

  const post = async (path: string, body: unknown): Promise<unknown> => {
    const answer = await request(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body), dispatcher })
    const { text, whole } = await readBounded(answer.body, maxAnswerBytes)
    if (answer.statusCode >= 300) throw refusal(answer.statusCode, path, text)
    if (!whole) throw new Error(`the API answered ${path} with more than ${maxAnswerBytes} bytes`)
    const parsed = parseAnswer(text, path)
    return typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed
  }

  const uploadOnce = async (file: FoundFile): Promise<string> => {
    const entry = { uri: '', filename: file.filename, content_type: file.contentType, size: file.sizeBytes }
    const records = await post('/files', { files: [entry], category: 'outputs' })
    if (!checkFiles.Check(records) || !records[0]) throw new Error('the API answered POST /files with an invalid body')
    const { upload_url: uploadUrl, uri } = records[0]
    const answer = await request(throughApi(uploadUrl, { apiUrl: base, baseUrl }) ?? uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': file.contentType, 'content-length': String(file.sizeBytes) },
      // Reads at most the announced size, because the app may still be writing.
      body: file.sizeBytes === 0 ? '' : contentOf(file),
      dispatcher,
    })
    const { text } = await readBounded(answer.body, maxAnswerBytes)
    if (answer.statusCode >= 300) throw refusal(answer.statusCode, 'the upload', text)
    return uri
  }

  return {
    register: async (body) => {
      const data = await post('/engines/register', body)
      if (!checkRegistered.Check(data)) throw new Error('the API answered the registration with an invalid body')
      baseUrl = data.base_url ?? base
      return data
    },
    upload: async (file) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await uploadOnce(file)
        } catch (error) {
          if (attempt >= uploadTries || error instanceof ApiRefusal) {
            throw new TaskFailure(`the output file ${file.filename} could not be stored: ${messageOf(error)}`)
          }
          await sleep(250 * 4 ** (attempt - 1))
        }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

const contentOf = ({ content, sizeBytes }: FoundFile) =>
  content.createReadStream({ start: 0, end: sizeBytes - 1, autoClose: false })

const parseAnswer = (text: string, path: string): unknown => {
  try {
    return parseJson(text)
  } catch (error) {
    throw new Error(`the response of the API to ${path} ${messageOf(error)}`)
  }
}

const refusal = (status: number, path: string, text: string): Error => {
  const message = `${path} answered ${status}: ${detailOf(text)}`
  const worthRetrying = status >= 500 || status === 429 || status === 408
  return worthRetrying ? new Error(message) : new ApiRefusal(status, message)
}

const detailOf = (text: string): string => {
  const parsed = tryParseJson(text)
  if (typeof parsed !== 'object' || parsed === null) return text.slice(0, 300)
  const { detail, title } = parsed as { detail?: unknown; title?: unknown }
  return String(detail ?? title ?? '').slice(0, 300)
}
