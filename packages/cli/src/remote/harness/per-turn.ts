// The driver for the coding agent whose program runs once per turn and continues its session by an id.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Driver, type DriverEvents, endTurn, type Program, recordOf, startProgram, textOf } from './driver.ts'

const argumentsOf = (message: unknown): string => {
  const { content } = recordOf(message)
  return (Array.isArray(content) ? content : []).map((block) => textOf(recordOf(block).text)).join('')
}

/** The tool name is the only key of the object that describes the call. */
const emitToolCall = (events: DriverEvents, { subtype, call_id, tool_call }: Record<string, unknown>): void => {
  const [name = 'tool', call] = Object.entries(recordOf(tool_call))[0] ?? []
  const about = { tool_invocation_id: textOf(call_id), tool_name: name.replace(/ToolCall$/, '') }
  const { args, result } = recordOf(call)
  if (subtype === 'started') events.event('tool.started', { ...about, arguments: recordOf(args) })
  else events.event('tool.completed', { ...about, status: 'completed', result: JSON.stringify(result ?? null) })
}

export const perTurnDriver: Driver = (start, events) => {
  let sessionId = start.resumeSessionId
  let program: Program | undefined

  const open = async (): Promise<void> => {
    const isResumed = sessionId !== ''
    if (!isResumed) {
      const { cwd, env } = start
      const made = await promisify(execFile)(start.command, ['create-chat'], { cwd, env, timeout: 30_000 })
      sessionId = made.stdout.trim()
    }
    events.opened(sessionId, isResumed)
  }
  const opening = open()
  opening.catch((error: Error) => events.closed(error.message))

  const turn = async (text: string): Promise<void> => {
    await opening
    let end: Parameters<typeof endTurn> | undefined
    const args = ['-p', '--output-format', 'stream-json', '--resume', sessionId, '--', text]
    const mine: Program = startProgram(
      start,
      args,
      (line) => {
        if (line.type === 'assistant') events.event('content.delta', { kind: 'text', delta: argumentsOf(line.message) })
        else if (line.type === 'tool_call') emitToolCall(events, line)
        else if (line.type === 'result')
          end = line.is_error === true ? [events, 'failed', textOf(line.result)] : [events, 'completed']
      },
      (error) => {
        // The end of a stopped turn has already been reported.
        if (program !== mine) return
        program = undefined
        endTurn(...(end ?? [events, 'failed', error || 'the program ended without a result']))
      },
    )
    program = mine
  }
  const stop = (): void => {
    const stopped = program
    program = undefined
    stopped?.kill()
    if (stopped) endTurn(events, 'canceled')
  }
  return {
    prompt: (text) => void turn(text).catch(() => {}),
    // Runs after the prompt, which also waits for the session.
    interrupt: () => void opening.then(stop).catch(() => {}),
    resolve: () => {},
    close: () => {
      const stopped = program
      program = undefined
      stopped?.kill()
    },
  }
}
