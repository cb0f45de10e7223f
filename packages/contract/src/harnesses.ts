// The coding agents that a remote can host: their names and the capabilities of their drivers.
import Type, { type Static } from 'typebox'
import { StringEnum } from './common.ts'

export const harnessKinds = ['claude', 'codex', 'cursor', 'gemini', 'goose', 'kiro'] as const
export type HarnessKind = (typeof harnessKinds)[number]

export const HarnessCapabilities = Type.Object({
  steer: Type.Boolean(),
  approvals: Type.Boolean(),
  interrupt: Type.Boolean(),
  resume: Type.Boolean(),
  tools: Type.Boolean(),
})
export type HarnessCapabilities = Static<typeof HarnessCapabilities>

export const Harness = Type.Object({
  id: StringEnum(harnessKinds),
  display_name: Type.String(),
  vendor: Type.String(),
  driver: Type.String(),
  capabilities: HarnessCapabilities,
})
export type Harness = Static<typeof Harness>

const can = (...names: (keyof HarnessCapabilities)[]): HarnessCapabilities => ({
  steer: names.includes('steer'),
  approvals: names.includes('approvals'),
  interrupt: names.includes('interrupt'),
  resume: names.includes('resume'),
  tools: names.includes('tools'),
})

export const harnesses: Readonly<Record<HarnessKind, Harness>> = {
  claude: {
    id: 'claude',
    display_name: 'Claude Code',
    vendor: 'Anthropic',
    driver: 'stream-json',
    capabilities: can('steer', 'approvals', 'interrupt', 'resume', 'tools'),
  },
  codex: {
    id: 'codex',
    display_name: 'Codex',
    vendor: 'OpenAI',
    driver: 'app-server',
    capabilities: can('approvals', 'interrupt', 'resume', 'tools'),
  },
  cursor: {
    id: 'cursor',
    display_name: 'Cursor Agent',
    vendor: 'Cursor',
    driver: 'stream-json',
    capabilities: can('interrupt', 'resume'),
  },
  gemini: {
    id: 'gemini',
    display_name: 'Gemini CLI',
    vendor: 'Google',
    driver: 'acp',
    capabilities: can('approvals', 'interrupt', 'tools'),
  },
  goose: {
    id: 'goose',
    display_name: 'Goose',
    vendor: 'Block',
    driver: 'acp',
    capabilities: can('approvals', 'interrupt', 'resume', 'tools'),
  },
  kiro: {
    id: 'kiro',
    display_name: 'Kiro CLI',
    vendor: 'Amazon Web Services',
    driver: 'acp',
    capabilities: can('approvals', 'interrupt', 'tools'),
  },
}
