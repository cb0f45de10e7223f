// Operations that speak OpenAI's protocol, for published clients. Each is an operation like any other: scopes, limits,
// budgets and usage policies apply; only the form of requests, answers and errors differs.
import { IdPath } from '@millrace/contract/common'
import {
  ChatCompletion,
  CreateChatCompletion,
  CreateEmbeddings,
  CreateResponse,
  Embeddings,
  OpenAiDeleted,
  OpenAiFile,
  OpenAiFiles,
  OpenAiModel,
  OpenAiModels,
  OpenAiResponse,
} from '@millrace/contract/openai'
import Type from 'typebox'
import { deleteFile, getFile } from '#content/files/service.ts'
import { operation } from '#platform/core/operation.ts'
import { openAiError } from '#platform/http/openai-error.ts'
import { fileId, ofFile, ofResponse } from './answer-ids.ts'
import { awaitCompletion, beginCompletion, followed, streamCompletion } from './chat-completions.ts'
import { createEmbeddings, embeddingModel } from './embeddings.ts'
import { createFile, getOpenAiFile, listOpenAiFiles } from './files.ts'
import { getModel, listModels } from './models.ts'
import { readChatCompletion, readResponse } from './requests.ts'
import { failedResponse, streamResponse } from './response-events.ts'
import { awaitResponse, beginResponse, cancelResponse, deleteResponse, getResponse } from './responses.ts'

const ofOpenAi = { bare: true, errors: 'openai' } as const

const sendFails = [
  ...(['not_found', 'forbidden', 'validation_error', 'invalid_state', 'tool_not_pending', 'model_failed'] as const),
] as const

const maxUploadBytes = 32 * 1024 * 1024
const ModelPath = Type.Object({ namespace: Type.String({ minLength: 1 }), name: Type.String({ minLength: 1 }) })
const FileForm = Type.Unsafe<Uint8Array<ArrayBuffer>>(
  Type.Object({ file: Type.String({ format: 'binary' }), purpose: Type.Optional(Type.String()) }),
)
const FileQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  after: Type.Optional(Type.String({ maxLength: 64 })),
})

export const openAiOperations = [
  operation({
    ...ofOpenAi,
    name: 'openai.models',
    route: 'GET /v1/models',
    summary: 'Models for OpenAI clients: agents, and apps that answer as models',
    scope: 'agents:read',
    orScope: 'apps:read',
    reply: OpenAiModels,
    run: () => ({ object: 'list' as const, data: [] }),
    follow: async (ctx) => ({ object: 'list' as const, data: [...(await listModels(ctx)), embeddingModel] }),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.model',
    route: ['GET /v1/models/:id'],
    summary: 'One model for OpenAI clients',
    scope: 'agents:read',
    orScope: 'apps:read',
    path: IdPath,
    reply: OpenAiModel,
    fails: ['not_found'],
    run: (ctx, { path }) => (path.id === embeddingModel.id ? embeddingModel : getModel(ctx, path.id)),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.model_by_ref',
    route: 'GET /v1/models/:namespace/:name',
    summary: 'One model for OpenAI clients, by a name with a slash',
    scope: 'agents:read',
    orScope: 'apps:read',
    path: ModelPath,
    reply: OpenAiModel,
    fails: ['not_found'],
    run: (ctx, { path }) => {
      const name = `${path.namespace}/${path.name}`
      return name === embeddingModel.id ? embeddingModel : getModel(ctx, name)
    },
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.chat_completion',
    route: 'POST /v1/chat/completions',
    summary: 'Answer a conversation, for OpenAI clients',
    checkedScopes: ['agents:read', 'approvals:write', 'conversations:write', 'files:read', 'remotes:write'],
    scope: 'agents:execute',
    rateLimit: 'run',
    body: CreateChatCompletion,
    reply: ChatCompletion,
    fails: sendFails,
    run: (ctx, { body }) => beginCompletion(ctx, readChatCompletion(body)),
    follow: async (ctx, begun, { body }) => {
      const given = await followed(ctx, readChatCompletion(body), begun.id)
      return body.stream ? streamCompletion(ctx, begun, given, body) : awaitCompletion(ctx, begun, given)
    },
    lateFailure: (begun, failure) => ({ ...begun, ...openAiError(failure) }),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.create_response',
    route: 'POST /v1/responses',
    summary: 'Answer an input, for clients of the responses API',
    checkedScopes: ['agents:read', 'approvals:write', 'conversations:write', 'files:read', 'remotes:write'],
    scope: 'agents:execute',
    rateLimit: 'run',
    body: CreateResponse,
    reply: OpenAiResponse,
    fails: sendFails,
    run: (ctx, { body }) => beginResponse(ctx, readResponse(body)),
    follow: async (ctx, begun, { body }) => {
      const given = await followed(ctx, readResponse(body), ofResponse(begun.id))
      return body.stream ? streamResponse(ctx, begun, given) : awaitResponse(ctx, begun, given)
    },
    lateFailure: failedResponse,
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.response',
    route: 'GET /v1/responses/:id',
    summary: 'A stored response',
    scope: 'conversations:read',
    path: IdPath,
    reply: OpenAiResponse,
    fails: ['not_found'],
    run: (ctx, { path }) => getResponse(ctx, path.id),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.delete_response',
    route: 'DELETE /v1/responses/:id',
    summary: 'Delete a response with its chat',
    checkedScopes: ['agents:read', 'remotes:write'],
    scope: 'conversations:write',
    path: IdPath,
    reply: OpenAiDeleted,
    fails: ['not_found', 'forbidden'],
    run: (ctx, { path }) => deleteResponse(ctx, path.id),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.cancel_response',
    route: 'POST /v1/responses/:id/cancel',
    summary: 'Stop a response that is being written',
    checkedScopes: ['agents:read', 'remotes:write'],
    scope: 'conversations:write',
    path: IdPath,
    reply: OpenAiResponse,
    fails: ['not_found', 'forbidden'],
    run: (ctx, { path }) => cancelResponse(ctx, path.id),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.embeddings',
    route: 'POST /v1/embeddings',
    summary: 'Vectors of texts, from the model that the search uses',
    scope: 'apps:execute',
    rateLimit: 'run',
    body: CreateEmbeddings,
    reply: Embeddings,
    fails: ['not_found', 'validation_error'],
    run: (_ctx, { body }) => ({ object: 'list' as const, data: [], model: body.model, usage: noTokens }),
    follow: (ctx, _begun, { body }) => createEmbeddings(ctx, body),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.create_file',
    route: 'POST /v1/files',
    summary: 'Upload a file as multipart/form-data, for OpenAI clients',
    scope: 'files:write',
    rateLimit: 'upload',
    bytes: true,
    multipart: true,
    bodyLimitBytes: maxUploadBytes,
    body: FileForm,
    reply: OpenAiFile,
    fails: ['invalid_request'],
    run: (ctx, { body }, { headers }) => createFile(ctx, body, String(headers['content-type'] ?? '')),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.files',
    route: 'GET /v1/files',
    summary: 'Files for OpenAI clients, newest first',
    scope: 'files:read',
    query: FileQuery,
    reply: OpenAiFiles,
    fails: ['not_found'],
    run: (ctx, { query }) => listOpenAiFiles(ctx, query),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.file',
    route: 'GET /v1/files/:id',
    summary: 'One file for OpenAI clients',
    scope: 'files:read',
    path: IdPath,
    reply: OpenAiFile,
    fails: ['not_found'],
    run: (ctx, { path }) => getOpenAiFile(ctx, path.id),
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.file_content',
    route: 'GET /v1/files/:id/content',
    summary: 'Redirect to the content of a file',
    scope: 'files:read',
    path: IdPath,
    reply: Type.Null(),
    fails: ['not_found'],
    run: async (ctx, { path }, { redirect }) => {
      // A relative address, so that the client stays on the address that it uses.
      redirect(new URL((await getFile(ctx, ofFile(path.id))).uri).pathname)
      return null
    },
  }),
  operation({
    ...ofOpenAi,
    name: 'openai.delete_file',
    route: 'DELETE /v1/files/:id',
    summary: 'Delete a file permanently',
    scope: 'files:write',
    path: IdPath,
    reply: OpenAiDeleted,
    fails: ['not_found'],
    run: async (ctx, { path }) => {
      const id = ofFile(path.id)
      await deleteFile(ctx, id)
      return { id: fileId(id), object: 'file', deleted: true as const }
    },
  }),
]

const noTokens = { prompt_tokens: 0, total_tokens: 0 }
