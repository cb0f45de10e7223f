// Schemas of the routes that speak OpenAI's protocol. Requests are read leniently: published clients add fields that
// have no meaning here, and those are ignored.
import Type, { type Static } from 'typebox'
import { Json, JsonObject, Nullable, StringEnum } from './common.ts'

const Text = Type.String({ maxLength: 4_000_000 })
const Name = Type.String({ maxLength: 256 })

const ModelName = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'An agent (`acme/support`, `acme/support@version`), or a model app (`millrace/openai-chat:gpt-4o`)',
})

export const OpenAiError = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    param: Nullable(Type.String()),
    code: Type.String(),
  }),
})

export const OpenAiModel = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String(),
})
export type OpenAiModel = Static<typeof OpenAiModel>

export const OpenAiModels = Type.Object({ object: Type.Literal('list'), data: Type.Array(OpenAiModel) })

/** A part of a message, in the forms of both APIs. */
export const OpenAiPart = Type.Object({
  type: Type.Optional(Name),
  text: Type.Optional(Text),
  image_url: Type.Optional(Json),
  file: Type.Optional(JsonObject),
  file_id: Type.Optional(Name),
  file_data: Type.Optional(Text),
  file_url: Type.Optional(Text),
  filename: Type.Optional(Name),
  refusal: Type.Optional(Text),
})
export type OpenAiPart = Static<typeof OpenAiPart>

const Content = Type.Optional(Type.Union([Text, Type.Array(OpenAiPart, { maxItems: 1024 })]))

const FunctionCall = Type.Object({ name: Name, arguments: Type.Optional(Text) })

export const ChatCompletionMessage = Type.Object({
  role: Name,
  content: Content,
  name: Type.Optional(Name),
  tool_call_id: Type.Optional(Name),
  tool_calls: Type.Optional(
    Type.Array(Type.Object({ id: Type.Optional(Name), type: Type.Optional(Name), function: FunctionCall }), {
      maxItems: 128,
    }),
  ),
})
export type ChatCompletionMessage = Static<typeof ChatCompletionMessage>

const Metadata = Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 512 }), { maxProperties: 16 }))

const sampling = {
  temperature: Type.Optional(Type.Number()),
  top_p: Type.Optional(Type.Number()),
  seed: Type.Optional(Type.Integer()),
  user: Type.Optional(Name),
  store: Type.Optional(Type.Boolean()),
  metadata: Metadata,
  stream: Type.Optional(Type.Boolean()),
}

const FunctionSpec = Type.Object({
  name: Name,
  description: Type.Optional(Type.String({ maxLength: 20_000 })),
  parameters: Type.Optional(JsonObject),
})

export const CreateChatCompletion = Type.Object({
  model: ModelName,
  messages: Type.Array(ChatCompletionMessage, { minItems: 1, maxItems: 4096 }),
  ...sampling,
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 1, description: 'Only 1 is supported' })),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  frequency_penalty: Type.Optional(Type.Number()),
  presence_penalty: Type.Optional(Type.Number()),
  stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })])),
  reasoning_effort: Type.Optional(Name),
  response_format: Type.Optional(JsonObject),
  tools: Type.Optional(
    Type.Array(Type.Object({ type: Type.Optional(Name), function: Type.Optional(FunctionSpec) }), { maxItems: 128 }),
  ),
  tool_choice: Type.Optional(Json),
  stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
})
export type CreateChatCompletion = Static<typeof CreateChatCompletion>

const ChatUsage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
  completion_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
})

export const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter'] as const

const ToolCalls = Type.Array(
  Type.Object({
    id: Type.String(),
    type: Type.Literal('function'),
    function: Type.Object({ name: Type.String(), arguments: Type.String() }),
  }),
)

export const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: Nullable(Type.String()),
        reasoning_content: Type.Optional(Type.String()),
        refusal: Nullable(Type.String()),
        tool_calls: Type.Optional(ToolCalls),
      }),
      logprobs: Type.Null(),
      finish_reason: StringEnum(finishReasons),
    }),
  ),
  usage: Type.Optional(ChatUsage),
  metadata: Type.Optional(Type.Object({ chat_id: Type.String() })),
})
export type ChatCompletion = Static<typeof ChatCompletion>

/** An item of the input of `POST /v1/responses`: a message, a call, or the result of a call. */
export const ResponseInputItem = Type.Object({
  type: Type.Optional(Name),
  role: Type.Optional(Name),
  content: Content,
  call_id: Type.Optional(Name),
  name: Type.Optional(Name),
  arguments: Type.Optional(Text),
  output: Type.Optional(Type.Union([Text, Type.Array(OpenAiPart, { maxItems: 1024 })])),
})
export type ResponseInputItem = Static<typeof ResponseInputItem>

export const CreateResponse = Type.Object({
  model: ModelName,
  input: Type.Optional(Type.Union([Text, Type.Array(ResponseInputItem, { maxItems: 4096 })])),
  ...sampling,
  instructions: Type.Optional(Text),
  previous_response_id: Type.Optional(Name),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  reasoning: Type.Optional(Type.Object({ effort: Type.Optional(Name) })),
  text: Type.Optional(Type.Object({ format: Type.Optional(JsonObject) })),
  tools: Type.Optional(
    Type.Array(Type.Object({ type: Type.Optional(Name), ...Type.Partial(FunctionSpec).properties }), { maxItems: 128 }),
  ),
  tool_choice: Type.Optional(Json),
})
export type CreateResponse = Static<typeof CreateResponse>

export const responseStatuses = ['in_progress', 'completed', 'failed', 'incomplete', 'cancelled'] as const

export const OpenAiResponse = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Type.Integer(),
  status: StringEnum(responseStatuses),
  model: Type.String(),
  output: Type.Array(Json),
  output_text: Type.String(),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  incomplete_details: Nullable(Type.Object({ reason: Type.String() })),
  instructions: Nullable(Type.String()),
  previous_response_id: Nullable(Type.String()),
  store: Type.Boolean(),
  metadata: JsonObject,
  parallel_tool_calls: Type.Boolean(),
  tool_choice: Json,
  tools: Type.Array(Json),
  usage: Nullable(
    Type.Object({
      input_tokens: Type.Integer(),
      input_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
      output_tokens: Type.Integer(),
      output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
      total_tokens: Type.Integer(),
    }),
  ),
})
export type OpenAiResponse = Static<typeof OpenAiResponse>

export const maxEmbeddingInputs = 256

export const CreateEmbeddings = Type.Object({
  model: ModelName,
  input: Type.Union([
    Type.String({ maxLength: 100_000 }),
    Type.Array(Type.String({ maxLength: 100_000 }), { minItems: 1, maxItems: maxEmbeddingInputs }),
  ]),
  encoding_format: Type.Optional(StringEnum(['float', 'base64'])),
  user: Type.Optional(Name),
})
export type CreateEmbeddings = Static<typeof CreateEmbeddings>

export const Embeddings = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Type.Object({ object: Type.Literal('embedding'), index: Type.Integer(), embedding: Json })),
  model: Type.String(),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
})
export type Embeddings = Static<typeof Embeddings>

export const OpenAiFile = Type.Object({
  id: Type.String(),
  object: Type.Literal('file'),
  bytes: Type.Integer(),
  created_at: Type.Integer(),
  filename: Type.String(),
  purpose: Type.String(),
  status: Type.Literal('processed'),
})
export type OpenAiFile = Static<typeof OpenAiFile>

export const OpenAiFiles = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(OpenAiFile),
  has_more: Type.Boolean(),
})

export const OpenAiDeleted = Type.Object({ id: Type.String(), object: Type.String(), deleted: Type.Literal(true) })
