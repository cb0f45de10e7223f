// Guards: what the editor reads of a version is what it sends back as the next one.
import type { AgentVersion } from '@millrace/contract/agents'
import { describe, expect, it } from 'vitest'
import { configOf, headerRows, headersOf, newTool, partOf, toolName, withPart } from './config.ts'

describe('a configuration', () => {
  it('holds what can be changed and nothing of the row', () => {
    const version = {
      id: 'v1',
      agent_id: 'a1',
      created_at: 'now',
      name: 'miller',
      system_prompt: 'Grind.',
      core_app: null,
      tools: [],
    } as unknown as AgentVersion
    expect(configOf(version)).toEqual({ name: 'miller', system_prompt: 'Grind.', tools: [] })
    expect(configOf(null)).toEqual({})
  })
  it('names tools so that models can call them, each once', () => {
    expect(toolName('millrace/word count', [])).toBe('millrace_word_count')
    expect(toolName('http', ['http', 'http_2'])).toBe('http_3')
    expect(toolName('!', [])).toBe('_')
  })
  it('changes the part that the type of a tool names', () => {
    const tool = newTool('http', [])
    expect(withPart(tool, { url: 'https://mill.example' }).http).toMatchObject({
      url: 'https://mill.example',
      method: 'GET',
    })
  })
  it('has a part for every type that is made here', () => {
    expect(partOf(newTool('internal', []))).toEqual({ category: '', operation: '' })
    expect(partOf(newTool('hook', []))).toMatchObject({ url: '' })
  })
  it('has headers as rows, and leaves out those without a name', () => {
    const rows = headerRows({ Accept: 'text/csv' })
    expect(rows).toEqual([{ name: 'Accept', value: 'text/csv' }])
    expect(headersOf([...rows, { name: '', value: 'x' }])).toEqual({ Accept: 'text/csv' })
    expect(headerRows('none')).toEqual([])
  })
})
