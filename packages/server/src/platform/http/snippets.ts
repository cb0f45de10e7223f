// The same call in three languages, for the API reference. Pure.

export type SnippetCall = {
  readonly method: string
  readonly url: string
  readonly body: unknown
  /** No credential is required. */
  readonly open: boolean
  /** The response has no envelope. */
  readonly bare: boolean
  /** The response is a stream. */
  readonly stream: boolean
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curl = ({ method, url, body, open, stream }: SnippetCall): string =>
  [
    `curl ${stream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`,
    ...(open ? [] : [`  -H "Authorization: Bearer $MILLRACE_API_KEY"`]),
    ...(body === undefined
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d ${shellQuoted(JSON.stringify(body))}`]),
  ].join(' \\\n')

const indented = (value: unknown, depth: string): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${depth}`)

const javascript = ({ method, url, body, open, bare, stream }: SnippetCall): string => {
  const headers = [
    ...(open ? [] : ['authorization: "Bearer " + process.env.MILLRACE_API_KEY']),
    ...(body === undefined ? [] : [`'content-type': 'application/json'`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, '  ')}),`]),
  ]
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`
  const response = `const response = await fetch('${url}'${given})`
  if (stream) return `${response}\nfor await (const bytes of response.body) process.stdout.write(bytes)`
  return `${response}\nconst ${bare ? 'answer' : '{ data }'} = await response.json()`
}

const pythonValue = (value: unknown): string => {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${pythonValue(member)}`)
    .join(', ')}}`
}

const python = ({ method, url, body, open, bare, stream }: SnippetCall): string => {
  const given = [
    `    ${JSON.stringify(url)},`,
    ...(open ? [] : ['    headers={"Authorization": f"Bearer {os.environ[\'MILLRACE_API_KEY\']}"},']),
    ...(body === undefined ? [] : [`    json=${pythonValue(body)},`]),
    ...(stream ? ['    stream=True,'] : []),
  ]
  const imports = open ? 'import requests' : 'import os\n\nimport requests'
  const call = `requests.${method.toLowerCase()}(\n${given.join('\n')}\n)`
  if (stream) return `${imports}\n\nfor line in ${call}.iter_lines():\n    print(line.decode())`
  return `${imports}\n\nanswer = ${call}.json()${bare ? '' : '["data"]'}`
}

export const snippetsOf = (call: SnippetCall): { language: string; text: string }[] => [
  { language: 'curl', text: curl(call) },
  { language: 'JavaScript', text: javascript(call) },
  { language: 'Python', text: python(call) },
]
