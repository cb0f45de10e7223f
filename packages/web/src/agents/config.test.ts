// Guarantees: the editor sends back the fields that it read from a version.
import type { AgentVersion } from '@millrace/contract/agents'
import { describe, expect, it } from 'vitest'
import {
  appRefsOf,
  configOf,
  hasStoredKey,
  headerRows,
  headersOf,
  newTool,
  settingsOf,
  toolName,
  withSettings,
} from './config.ts'

describe('a configuration', () => {
  it('contains the editable fields only', () => {
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
  it('names its model app and the apps among its tools once', () => {
    const app = (ref: string) => ({ name: 'a', type: 'app' as const, description: '', app: { ref } })
    const tools = [app('mill/count@3'), app('mill/count'), app('unnamed'), newTool('http', [])]
    expect(appRefsOf({ core_app: { ref: 'mill/model' }, tools })).toEqual([
      ['mill', 'model'],
      ['mill', 'count'],
    ])
    expect(appRefsOf({})).toEqual([])
  })
  it('knows whether a tool holds a stored key', () => {
    const toolWith = (secret: string) => withSettings(newTool('http', []), { auth: { type: 'bearer', secret } })
    expect(hasStoredKey({ tools: [toolWith('****abcd')] })).toBe(true)
    expect(hasStoredKey({ tools: [toolWith('****')] })).toBe(true)
    expect(hasStoredKey({ tools: [toolWith('MY_TOKEN')] })).toBe(false)
    expect(hasStoredKey({})).toBe(false)
  })
  it('gives tools unique names that models accept', () => {
    expect(toolName('millrace/word count', [])).toBe('millrace_word_count')
    expect(toolName('http', ['http', 'http_2'])).toBe('http_3')
    expect(toolName('!', [])).toBe('_')
  })
  it('changes the settings of a tool', () => {
    const tool = newTool('http', [])
    expect(withSettings(tool, { url: 'https://mill.example' }).http).toMatchObject({
      url: 'https://mill.example',
      method: 'GET',
    })
  })
  it('has settings for every new tool', () => {
    expect(settingsOf(newTool('internal', []))).toEqual({ category: '', operation: '' })
    expect(settingsOf(newTool('hook', []))).toMatchObject({ url: '' })
  })
  it('converts headers to rows and ignores rows without a name', () => {
    const rows = headerRows({ Accept: 'text/csv' })
    expect(rows).toEqual([{ name: 'Accept', value: 'text/csv' }])
    expect(headersOf([...rows, { name: '', value: 'x' }])).toEqual({ Accept: 'text/csv' })
    expect(headerRows('none')).toEqual([])
  })
})
