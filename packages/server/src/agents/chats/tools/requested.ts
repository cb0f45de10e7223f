// The parts of a model call that the caller of one run adds: settings, instructions and tools that the caller executes.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { runOf, type Scene } from '../runs/scene.ts'
import type { RunRow } from '../store.ts'
import { allTools, type OfferedTool } from './offered.ts'

export type RequestedTool = { name: string; description: string; parameters: Record<string, unknown> }

export type ModelRequest = {
  /** The name of the model in the request. */
  model?: string
  /** Follows the agent's own system prompt. */
  instructions?: string
  /** Replaces settings of the agent's core app. */
  settings?: Record<string, unknown>
  /** Applies to the first turn only; later turns would repeat a forced call. */
  toolChoice?: Record<string, unknown>
  tools?: readonly RequestedTool[]
}

export const modelRequestOf = (run: Pick<RunRow, 'model_request'>): ModelRequest =>
  (run.model_request as ModelRequest | null) ?? {}

const offered = ({ name, description, parameters }: RequestedTool): OfferedTool => ({
  name,
  type: 'client',
  displayName: '',
  description,
  parameters,
  requireApproval: false,
  tool: null,
  operation: '',
})

/** The agent's tools and those of the caller. A tool of the agent hides one of the caller with the same name. */
export const toolsOfRun = async (ctx: Ctx<Actor>, scene: Scene): Promise<Map<string, OfferedTool>> => {
  const run = runOf(scene)
  const tools = await allTools(ctx.as(runActor(run)), scene.version, { isSubAgent: scene.chat.depth > 0 })
  for (const tool of modelRequestOf(run).tools ?? []) if (!tools.has(tool.name)) tools.set(tool.name, offered(tool))
  return tools
}

/** The settings of the next turn: those of the core app, and those of the caller. */
export const settingsOfTurn = (scene: Scene): Record<string, unknown> => {
  const run = runOf(scene)
  const { settings, toolChoice } = modelRequestOf(run)
  return {
    ...((scene.version.config.core_app?.input ?? {}) as Record<string, unknown>),
    ...settings,
    ...(toolChoice && run.turn <= 1 && { tool_choice: toolChoice }),
  }
}
