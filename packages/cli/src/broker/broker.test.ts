// Guarantees: a broker requires its token, starts each machine once and never puts a key on a command line; every
// driver keeps these guarantees.

import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Machine } from '@millrace/contract/broker'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCommandDriver } from './command-driver.ts'
import { type Driver, limitSeconds } from './driver.ts'
import { createKubernetesDriver, podOf, secretOf } from './kubernetes-driver.ts'
import { createBroker } from './server.ts'
import { createSlurmDriver, jobScript } from './slurm-driver.ts'
import { hasSlurm, startSlurm } from './testing/slurm.ts'

const id = '0123456789abcdefghjkmnpqrs'
const machine = (rest: Partial<Machine> = {}): Machine => ({
  id,
  name: 'rented',
  region: 'default',
  catalog_instance_type: 'small',
  cloud_instance_type: '--ntasks=1',
  rental_type: 'on_demand',
  configuration: {
    ...{ gpu_type: '', gpu_manufacturer: '', interconnect: '', num_gpus: 0, nvlink: false, vram_per_gpu_in_gb: 0 },
    ...{ memory_in_gb: 1, vcpus: 1, storage_in_gb: 1, os_options: [] },
  },
  end_time: new Date(Date.now() + 3_600_000).toISOString(),
  engine: { id: 'e1', name: "it's mine", api_url: 'http://127.0.0.1:1', api_key: 'mr_hush' },
  ...rest,
})

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

const listen = async (server: Server): Promise<string> => {
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The lifecycle of a machine, the same for every driver. */
const livesAndDies = async (driver: Driver): Promise<void> => {
  expect(await driver.status(id)).toBeNull()
  const [first, second] = [await driver.create(machine()), await driver.create(machine())]
  expect(second.cloud_assigned_id).toBe(first.cloud_assigned_id)
  expect(await driver.status(id)).toMatchObject({ status: expect.stringMatching(/pending|active/) })
  expect((await driver.list()).map((one) => one.id)).toEqual([id])
  await driver.remove(id)
  await driver.remove(id)
}

// Stores its machines in a file, counts starts, and starts a machine on every call.
const program = `
const { readFileSync, writeFileSync } = require('node:fs')
const file = process.argv[2]
const verb = process.argv[3]
const input = JSON.parse(readFileSync(0, 'utf8'))
const state = JSON.parse(readFileSync(file, 'utf8'))
const end = (code, answer) => { writeFileSync(file, JSON.stringify(state)); if (answer) console.log(JSON.stringify(answer)); process.exit(code) }
if (verb === 'create') {
  state.starts += 1
  state.machines[input.id] = { n: state.starts, key: input.engine.api_key }
  end(0, { cloud_assigned_id: 'm' + state.machines[input.id].n, status: 'pending' })
}
if (verb === 'list') end(0, { instances: Object.keys(state.machines).map((id) => ({ id, status: 'active' })) })
if (!state.machines[input.id]) end(4)
if (verb === 'status') end(0, { status: 'active', cloud_assigned_id: 'm' + state.machines[input.id].n })
delete state.machines[input.id]
end(0)
`

describe('the broker of a program', () => {
  let folder: string
  let driver: Driver
  const state = async () => JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'))
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-broker-'))
    await writeFile(join(folder, 'state.json'), JSON.stringify({ starts: 0, machines: {} }))
    await writeFile(join(folder, 'program.cjs'), program)
    const command = [process.execPath, join(folder, 'program.cjs'), join(folder, 'state.json')]
    driver = createCommandDriver(command, process.env)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('starts a machine once, reports its status and deletes it', async () => {
    await livesAndDies(driver)
    expect(await driver.status(id)).toBeNull()
  })

  it('requires the token and handles the calls for one machine in order', async () => {
    const lines: string[] = []
    const types = async () => ({ types: [] })
    const url = await listen(createBroker({ token: 'secret', driver, types, log: (line) => lines.push(line) }))
    const call = async (method: string, path: string, body?: object, token = 'secret') => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: answer.status, body: await answer.json() }
    }
    expect((await call('GET', '/types', undefined, 'wrong')).status).toBe(401)
    expect(await call('GET', '/types')).toEqual({ status: 200, body: { types: [] } })
    expect((await call('GET', '/instances/..%2fx')).status).toBe(404)
    expect((await call('PUT', `/instances/${id}`, { id: 'other' })).status).toBe(400)
    expect((await call('PATCH', `/instances/${id}`)).status).toBe(405)
    const before = (await state()).starts
    const puts = await Promise.all(Array.from({ length: 4 }, () => call('PUT', `/instances/${id}`, machine())))
    expect(new Set(puts.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await state()).starts).toBe(before + 1)
    expect(await call('GET', `/instances/${id}`)).toMatchObject({ status: 200, body: { status: 'active' } })
    expect((await call('GET', '/instances')).body).toEqual({ instances: [{ id, status: 'active' }] })
    expect((await call('DELETE', `/instances/${id}`)).status).toBe(200)
    expect((await call('GET', `/instances/${id}`)).status).toBe(404)
    expect(lines.join('\n')).not.toContain('mr_hush')
  })

  it('that fails is a launch that failed', async () => {
    const broken = createCommandDriver([process.execPath, '-e', 'process.exit(1)'], process.env)
    const url = await listen(createBroker({ token: 't', driver: broken, types: async () => ({}), log: () => {} }))
    const answer = await fetch(`${url}/instances/${id}`, {
      method: 'PUT',
      headers: { authorization: 'Bearer t' },
      body: JSON.stringify(machine()),
    })
    expect(answer.status).toBe(502)
  })
})

it('the time limit of a cloud leaves room for an extended rental', () => {
  const now = new Date()
  const hour = { ...machine(), end_time: new Date(now.getTime() + 3_600_000).toISOString() }
  const month = 30 * 24 * 3600
  expect(limitSeconds(hour, now)).toBe(month + 3600)
  expect(limitSeconds({ ...hour, end_time: new Date(0).toISOString() }, now)).toBe(month)
  const pod = podOf(hour, { namespace: 'mill', image: 'engine:1' }, now)
  expect(pod).toMatchObject({ spec: { activeDeadlineSeconds: month + 3600 } })
})

describe('the broker of Kubernetes', () => {
  type Stored = { kind: string; metadata: { name: string; labels: Record<string, string> } }

  /** The routes of an API server that the driver needs. */
  const startCluster = async () => {
    const stored = new Map<string, Stored>()
    const created: Stored[] = []
    const server = createServer(async (request, reply) => {
      const answer = (code: number, body: object) =>
        reply.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      const path = (request.url ?? '').split('?')[0] ?? ''
      const [, kind = '', name = ''] = /^\/api\/v1\/namespaces\/mill\/(pods|secrets)(?:\/(.+))?$/.exec(path) ?? []
      const found = stored.get(`${kind}/${name}`)
      if (request.method === 'POST') {
        let text = ''
        for await (const part of request) text += String(part)
        const body = JSON.parse(text) as Stored
        const key = `${kind}/${body.metadata.name}`
        if (stored.has(key)) return answer(409, { kind: 'Status', code: 409 })
        const made = {
          ...body,
          metadata: { ...body.metadata, uid: `uid-${created.length}` },
          status: { phase: 'Pending' },
        }
        stored.set(key, made)
        created.push(made)
        return answer(201, made)
      }
      if (name === '')
        return answer(200, { items: [...stored].filter(([key]) => key.startsWith(kind)).map(([, one]) => one) })
      if (!found) return answer(404, { kind: 'Status', code: 404 })
      if (request.method === 'DELETE') stored.delete(`${kind}/${name}`)
      return answer(200, found)
    })
    return { url: await listen(server), stored, created }
  }

  it('creates a Pod with its own Secret once, and deletes both together', async () => {
    const { url, stored, created } = await startCluster()
    const cluster = { url, token: async () => null }
    await livesAndDies(createKubernetesDriver(cluster, { namespace: 'mill', image: 'engine:1' }))
    expect(created.map(({ kind }) => kind)).toEqual(['Pod', 'Secret'])
    expect(stored.size).toBe(0)
  })

  it('keeps the key out of the Pod, and the cluster’s own token out of the engine', () => {
    const options = { namespace: 'mill', image: 'engine:1' }
    const asked = machine({ cloud_instance_type: '{"cpu": "4", "nvidia.com/gpu": 1}', region: 'eu' })
    const pod = podOf(asked, options, new Date())
    expect(JSON.stringify(pod)).not.toContain('mr_hush')
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      nodeSelector: { 'topology.kubernetes.io/region': 'eu' },
      containers: [{ image: 'engine:1', resources: { limits: { cpu: '4', 'nvidia.com/gpu': '1' } } }],
    })
    expect(secretOf(asked, { ...pod, metadata: { ...pod.metadata, uid: 'u1' } })).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Pod', uid: 'u1' }] },
      stringData: { MILLRACE_API_KEY: 'mr_hush', MILLRACE_ENGINE_ID: 'e1' },
    })
  })
})

/** A reachable cluster; the tests are skipped without one. */
describe('the broker of Slurm', () => {
  it('passes the key in the script and quotes names', () => {
    const script = jobScript(machine(), { engineCommand: 'printenv MILLRACE_ENGINE_NAME MILLRACE_API_KEY' })
    expect(execFileSync('sh', { input: script }).toString()).toBe("it's mine\nmr_hush\n")
  })

  it.skipIf(!hasSlurm())('submits a job once and cancels it (skipped where Slurm is not installed)', async () => {
    const slurm = await startSlurm()
    const driver = createSlurmDriver({ engineCommand: 'sleep 600', sbatchOptions: [], env: slurm.env })
    try {
      await livesAndDies(driver)
      await expect.poll(() => driver.status(id)).toBeNull()
    } finally {
      await slurm.stop()
    }
  })
})
