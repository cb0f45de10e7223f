// Uses a program of the operator as a driver: `<program> create|status|delete|list`, with JSON on stdin and stdout.
import type { Driver, Facts } from './driver.ts'
import { runCommand } from './run-command.ts'

/** The exit code for a machine that does not exist. */
const absentCode = 4

export const createCommandDriver = (command: readonly string[], env: NodeJS.ProcessEnv): Driver => {
  const ask = async (verb: string, input: object): Promise<unknown> => {
    const { code, out, err } = await runCommand([...command, verb], JSON.stringify(input), env)
    if (code === absentCode) return null
    if (code !== 0) throw new Error(`${command.join(' ')} ${verb} ended with ${code}: ${err.trim().slice(0, 500)}`)
    return out.trim() === '' ? {} : JSON.parse(out)
  }
  const status = async (id: string): Promise<Facts | null> => {
    const facts = (await ask('status', { id })) as Facts | null
    return facts && facts.status !== 'deleted' ? facts : null
  }
  return {
    create: async (machine) => {
      // Check first, because a program might start a second machine.
      const { cloud_assigned_id, ...known } = (await status(machine.id)) ?? {}
      if (cloud_assigned_id) return { status: 'pending', ...known, cloud_assigned_id }
      const facts = (await ask('create', machine)) as Partial<Facts> | null
      if (!facts?.cloud_assigned_id) throw new Error('create returned no cloud_assigned_id')
      return { ...facts, status: facts.status ?? 'pending', cloud_assigned_id: facts.cloud_assigned_id }
    },
    status,
    remove: async (id) => {
      await ask('delete', { id })
    },
    list: async () =>
      ((await ask('list', {})) as { instances?: { id: string; status: string }[] } | null)?.instances ?? [],
  }
}
