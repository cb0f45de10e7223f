// A run as code in several languages. Pure.
import { commandsFor } from '../ui/commands.ts'

export type Call = { base: string; app: string; function: string; isDefault: boolean; input: unknown; key: string }

export const languages = ['curl', 'JavaScript', 'Python', 'CLI'] as const
export type Language = (typeof languages)[number]

const bodyOf = ({ app, function: name, isDefault, input }: Call) => ({
  app,
  ...(isDefault ? {} : { function: name }),
  input,
  wait: true,
})

const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

const pythonWords = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
])

const pythonOf = (value: unknown, before = ''): string => {
  const inner = `${before}    `
  const list = (parts: readonly string[], open: string, close: string): string =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${before}${close}`
  if (Array.isArray(value))
    return list(
      value.map((each) => pythonOf(each, inner)),
      '[',
      ']',
    )
  if (typeof value !== 'object' || value === null) return pythonWords.get(value) ?? JSON.stringify(value)
  const fields = Object.entries(value).filter(([, each]) => each !== undefined)
  return list(
    fields.map(([key, each]) => `${JSON.stringify(key)}: ${pythonOf(each, inner)}`),
    '{',
    '}',
  )
}

const writers: Record<Language, (call: Call) => string> = {
  curl: (call) => `curl ${call.base}/run \\
  -H "Authorization: Bearer ${call.key}" \\
  -H "Content-Type: application/json" \\
  -d ${singleQuoted(JSON.stringify(bodyOf(call)))}`,
  JavaScript: (call) => `const response = await fetch('${call.base}/run', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${call.key}',
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indent(JSON.stringify(bodyOf(call), null, 2), '  ')}),
})
const { data } = await response.json()
console.log(data.output)`,
  Python: (call) => `import json, urllib.request

request = urllib.request.Request(
    "${call.base}/run",
    data=json.dumps(${pythonOf(bodyOf(call), '    ')}).encode(),
    headers={
        "Authorization": "Bearer ${call.key}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["data"]["output"])`,
  CLI: (call) => commandsFor(call.base).runApp(`${call.app}${call.isDefault ? '' : `:${call.function}`}`, call.input),
}

export const snippet = (language: Language, call: Call): string => writers[language](call)
