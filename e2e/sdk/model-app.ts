// A scripted model for tests: keywords in the message control its answer, and it streams like a real model.

const code = `
class TextDelta {
  constructor(response) {
    this.response = response
  }
}

const call = (name, given, index) => ({
  id: 'call_' + index,
  type: 'function',
  function: { name, arguments: JSON.stringify(given) },
})

export class App {
  async *run(input) {
    const text = input.text ?? ''
    const last = [...(input.context ?? []), { role: input.role, text }].filter(({ role }) => role === 'user').at(-1)?.text ?? ''
    // "call look {…}; call look {…}": the turn calls these tools, once.
    if (input.role === 'user' && text.startsWith('call ')) {
      const calls = text.split(';').map((part) => part.trim().match(/^call (\\S+) (.*)$/))
      return { response: '', tool_calls: calls.map(([, name, given], index) => call(name, JSON.parse(given), index)) }
    }
    if (text === 'fail') throw new Error('the model is out of order')
    if (text.startsWith('sleep ')) await new Promise((resolve) => setTimeout(resolve, Number(text.slice(6))))
    const answer = input.role === 'tool' ? 'The tool said: ' + text : 'You said: ' + last
    for (const word of answer.split(/(?<= )/)) yield new TextDelta(word)
    return { response: answer, usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }
  }
}
`

export const modelApp = { name: 'test-model', files: { 'inference.js': code } }
