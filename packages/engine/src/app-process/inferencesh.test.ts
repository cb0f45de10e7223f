// Guarantees: an app that does not list `inferencesh` can import every public name of it that apps use, from the same
// modules as in the published package, and stream the answers of a local model. Skipped without Python and pydantic.

import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from '../testing/world.ts'

const hasPydantic = spawnSync('python3', ['-c', 'import pydantic']).status === 0

const errors = [
  ...['APIError', 'RequirementError', 'RequirementsNotMetError', 'SessionEndedError', 'SessionError'],
  ...['SessionExpiredError', 'SessionNotFoundError', 'SetupAction', 'WorkerLostError'],
]
const metadata = ['AudioMeta', 'ImageMeta', 'MetaItem', 'OutputMeta', 'RawMeta', 'TextMeta', 'VideoMeta']
const streams = ['StreamableMessage', 'iter_ndjson', 'stream_get', 'stream_post', 'streamable', 'streamable_raw']
const apps = ['BaseApp', 'BaseAppInput', 'BaseAppOutput', 'BaseAppSetup', 'Metadata']
const models = [
  ...['ContextMessage', 'ContextMessageRole', 'LLMInput', 'LLMOutput', 'Message', 'build_messages', 'stream_generate'],
  'timing_context',
]
const capabilities = [
  ...['BaseLLMInput', 'BaseLLMOutput', 'FileCapabilityMixin', 'ImageCapabilityMixin', 'ImagesMixin', 'LLMUsage'],
  ...['LLMUsageMixin', 'ReasoningCapabilityMixin', 'ReasoningEffortEnum', 'ReasoningMixin', 'ResponseState'],
  ...['ResponseTransformer', 'StreamResponse', 'ToolCallsMixin', 'ToolsCapabilityMixin', 'build_openai_messages'],
  ...['build_tools', 'file_to_base64_data_uri', 'image_to_base64_data_uri'],
]
const fields = ['Image', 'Video', 'Audio', 'Text', 'File'].flatMap((kind) => [
  `Optional${kind}FieldMixin`,
  `Required${kind}FieldMixin`,
])
const statuses = ['ChatMessageStatus', 'TaskStatus']
const generated = ['MetaItemType', 'VideoResolution']
const folders = ['StorageDir', 'download']

const names: Record<string, string[]> = {
  inferencesh: [
    ...[...apps, 'File', ...models, ...errors, ...metadata, ...generated, ...streams, ...statuses, ...folders],
    ...['is_message_ready', 'is_terminal_status', 'parse_status', '__version__'],
  ],
  'inferencesh.models': [...apps, 'File', ...models, ...errors, ...metadata],
  'inferencesh.models.base': [...apps, ...fields],
  'inferencesh.models.file': ['File'],
  'inferencesh.models.llm': [...models, ...capabilities],
  'inferencesh.models.errors': errors,
  'inferencesh.models.output_meta': metadata,
  'inferencesh.output_meta_gen': generated,
  'inferencesh.streamable': streams,
  'inferencesh.types': statuses,
  'inferencesh.utils': folders,
  'inferencesh.utils.storage': ['StorageDir'],
  'inferencesh.utils.download': ['download'],
}

/** A model with the interface of llama.cpp. */
const localModel = `
from inferencesh.models.llm import LLMOutput, ReasoningMixin, ToolCallsMixin, ResponseTransformer, stream_generate
class Output(ReasoningMixin, ToolCallsMixin, LLMOutput): pass
class Model:
  def create_chat_completion(self, messages, stream, **options):
    assert stream and options["top_p"] == 0.5 and options["tools"] == [1] and "tool_choice" not in options
    for text in ["<think>hm", "m</think>", "Hello", " you<eos>"]:
      yield {"choices": [{"delta": {"content": text}, "finish_reason": None}]}
    for call in [{"index": 0, "id": "a", "function": {"name": "look", "arguments": "{"}},
                 {"index": 1, "id": "b", "function": {"name": "wait", "arguments": ""}},
                 {"index": 0, "function": {"arguments": "}"}}]:
      yield {"choices": [{"delta": {"tool_calls": [call]}}]}
    yield {"choices": [{"delta": {}, "finish_reason": "stop"}],
           "usage": {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}}
    raise RuntimeError("nothing is read after the end")
class App:
  def run(self, input):
    given = {"messages": [], "tools": [1], "top_p": 0.5}
    yield from stream_generate(Model(), transformer=ResponseTransformer(), output_cls=Output, **given)
`

describe.skipIf(!hasPydantic)('the provided package inferencesh', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.close())

  const run = (code: string, input: object = {}) =>
    world.run(world.app({ 'inference.py': code }, 'python-3.11'), { input })

  test('each module has its public names', async () => {
    const code = `
import importlib
class App:
  def run(self, input):
    missing = []
    for module, names in input["names"].items():
      for name in names:
        try: getattr(importlib.import_module(module), name)
        except Exception as error: missing.append(f"{module}.{name}: {error}")
    return missing`
    expect(await run(code, { names }).end).toEqual({ type: 'task_completed', output: [] })
  })

  test('the answer of a local model is split into response, reasoning, tool calls and usage', async () => {
    const task = run(localModel)
    const end = await task.end
    expect(end.error).toBeUndefined()
    const call = (id: string, name: string, text: string) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    })
    expect(end.output).toMatchObject({
      response: 'Hello you',
      reasoning: 'hmm',
      tool_calls: [call('a', 'look', '{}'), call('b', 'wait', '')],
      usage: { stop_reason: 'stop', prompt_tokens: 2, completion_tokens: 3, total_tokens: 5, reasoning_tokens: 0 },
    })
  })

  test('streams of JSON lines, statuses and errors', async () => {
    const code = `
from inferencesh import RequirementsNotMetError, SessionExpiredError, is_terminal_status, streamable, streamable_raw
lines = [b'{"type": "heartbeat"}', b'', b'broken', b'{"data": {"a": 1}, "event": "update"}', '[2]']
class Response:
  def iter_lines(self): return iter(lines)
class App:
  def run(self, input):
    unmet = RequirementsNotMetError.from_response({"errors": [{"key": "K", "message": "missing", "action": {"type": "add_secret"}}]})
    return {
      "values": list(streamable(Response())),
      "events": [message.event for message in streamable_raw(Response())],
      "ends": [is_terminal_status(status) for status in (7, 10, "failed", "no status", None)],
      "unmet": [str(unmet), unmet.status_code, unmet.errors[0].action.type],
      "expired": str(SessionExpiredError("s1")),
    }`
    expect((await run(code).end).output).toEqual({
      values: [{ a: 1 }, [2]],
      events: ['update', null],
      ends: [false, true, true, false, false],
      unmet: ['missing', 412, 'add_secret'],
      expired: 'HTTP 410: Session expired: s1',
    })
  })

  test.each(['Inference', 'Agent', 'tool'])(
    '%s belongs to the client, which needs the published package',
    async (name) => {
      expect((await run(`from inferencesh import ${name}\nclass App: pass\n`).end).error).toMatch(
        `inferencesh.${name} needs the published package: add inferencesh to requirements.txt`,
      )
    },
  )
})
