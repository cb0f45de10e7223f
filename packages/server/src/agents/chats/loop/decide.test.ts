// Guarantees: the loop calls the model, makes calls and ends by its rules, for any order of events; a finished run
// stays finished.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, type LoopCommand, type LoopEvent, type LoopState, turnLimit } from './decide.ts'

const start: LoopState = { phase: 'starting', turn: 0, lost: 0, calls: [] }
const call = (id: string, status: LoopState['calls'][number]['status'] = 'pending') => ({ id, status })

/** Takes each step, with hooks and rules that allow everything, until an external event is needed. */
const settle = (state: LoopState, first: LoopEvent): { state: LoopState; commands: LoopCommand[] } => {
  const queue = [first]
  const commands: LoopCommand[] = []
  let current = state
  for (let next = queue.shift(); next; next = queue.shift()) {
    const decision = decide(current, next)
    current = decision.state
    for (const command of decision.commands) {
      commands.push(command)
      const { do: kind } = command
      if (kind === 'hooks') {
        const { event, callId, ended } = command
        queue.push({ type: 'hooks_answered', event, callId, ended, answer: { decision: 'allow' } } as LoopEvent)
      }
      if (kind === 'judge') queue.push({ type: 'judged', callId: command.callId, decision: 'allow' })
    }
  }
  return { state: current, commands }
}

const thinking = settle(start, { type: 'begun' }).state

describe('the loop', () => {
  it('starts with its hooks and calls the model', () => {
    const { state, commands } = settle(start, { type: 'begun' })
    expect(state).toMatchObject({ phase: 'thinking', turn: 1 })
    expect(commands.map((command) => command.do)).toEqual(['hooks', 'hooks', 'call_model'])
  })

  it('ends when the model makes no calls', () => {
    const { state, commands } = settle(thinking, { type: 'model_answered', calls: [], hasText: true })
    expect(state.phase).toBe('over')
    expect(commands.at(-1)).toEqual({ do: 'end', state: 'completed', error: '' })
  })

  it('calls the model again only when every call of the turn is over', () => {
    const acting = settle(thinking, { type: 'model_answered', calls: [call('a'), call('b')], hasText: false })
    expect(acting.commands.filter((command) => command.do === 'perform')).toHaveLength(2)
    const first = settle(acting.state, { type: 'call_ended', callId: 'a', ended: { status: 'completed' } })
    expect(first.state.phase).toBe('acting')
    const second = settle(first.state, { type: 'call_ended', callId: 'b', ended: { status: 'failed' } })
    expect(second.state).toMatchObject({ phase: 'thinking', turn: 2 })
  })

  it.each([
    ['agent.start', 'deny', 'rejected'],
    ['agent.start', 'stop', 'canceled'],
    ['agent.turn_start', 'stop', 'canceled'],
    ['agent.turn_start', 'deny', 'failed'],
  ] as const)('%s: %s makes the run %s', (event, decision, ended) => {
    const state: LoopState = { ...start, phase: event === 'agent.start' ? 'starting' : 'turn_starting' }
    const { commands } = decide(state, { type: 'hooks_answered', event, answer: { decision } })
    expect(commands).toMatchObject([{ do: 'end', state: ended }])
  })

  it('a lost model task is retried twice, a failed one is not', () => {
    const lost: LoopEvent = { type: 'model_failed', error: 'e', isLost: true }
    const twice = decide(decide(thinking, lost).state, lost)
    expect(twice.commands).toEqual([{ do: 'call_model' }])
    expect(decide(twice.state, lost).commands).toMatchObject([{ do: 'end', state: 'failed' }])
    expect(decide(thinking, { ...lost, isLost: false }).commands).toMatchObject([{ do: 'end', state: 'failed' }])
  })

  it('finish ends the run once the other calls are over', () => {
    const calls = [call('a', 'in_progress'), { ...call('f', 'in_progress'), finish: 'failed' as const }]
    const state: LoopState = { ...thinking, phase: 'acting', calls }
    const finished = settle(state, { type: 'call_ended', callId: 'f', ended: { status: 'completed' } })
    expect(finished.state.phase).toBe('acting')
    const ended = settle(finished.state, { type: 'call_ended', callId: 'a', ended: { status: 'completed' } })
    expect(ended.commands.at(-1)).toMatchObject({ do: 'end', state: 'failed' })
  })

  it('for any events: at most one end, nothing after it, never more turns than the limit, no call made twice', () => {
    const ids = ['a', 'b', 'c']
    const id = fc.constantFrom(...ids)
    const happened: fc.Arbitrary<LoopEvent> = fc.oneof(
      fc.constant<LoopEvent>({ type: 'begun' }),
      fc.constant<LoopEvent>({ type: 'model_answered', calls: ids.map((one) => call(one)), hasText: false }),
      fc.constant<LoopEvent>({ type: 'model_failed', error: 'e', isLost: true }),
      fc.constant<LoopEvent>({ type: 'stopped' }),
      fc.constant<LoopEvent>({ type: 'compacted' }),
      fc.constant<LoopEvent>({ type: 'too_long' }),
      id.map((callId): LoopEvent => ({ type: 'approved', callId })),
      fc.record({
        type: fc.constant('judged' as const),
        callId: id,
        decision: fc.constantFrom('allow', 'ask', 'deny'),
      }),
      id.map((callId): LoopEvent => ({ type: 'call_ended', callId, ended: { status: 'completed' } })),
      fc.record({
        type: fc.constant('hooks_answered' as const),
        event: fc.constantFrom('agent.start', 'agent.turn_start', 'agent.tool_call', 'agent.tool_result'),
        callId: id,
        answer: fc.record({ decision: fc.constantFrom('allow', 'deny', 'stop') }),
        ended: fc.constant({ status: 'completed' as const }),
      }),
    ) as fc.Arbitrary<LoopEvent>
    fc.assert(
      fc.property(fc.array(happened, { maxLength: 60 }), (events) => {
        let state = start
        let ends = 0
        let performed = new Set<string>()
        for (const event of events) {
          const wasOver = state.phase === 'over'
          const decision = decide(state, event)
          if (decision.state.turn !== state.turn) performed = new Set()
          state = decision.state
          if (wasOver) expect(decision.commands).toEqual([])
          for (const command of decision.commands) {
            if (command.do === 'end') ends += 1
            if (command.do === 'perform') {
              expect(performed.has(`${state.turn}:${command.callId}`)).toBe(false)
              performed.add(`${state.turn}:${command.callId}`)
            }
          }
          expect(state.turn).toBeLessThanOrEqual(turnLimit)
        }
        expect(ends).toBeLessThanOrEqual(1)
      }),
      { numRuns: 2_000 },
    )
  })
})
