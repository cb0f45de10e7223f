// Guarantees: for random operations in any order, the balance equals an independent calculation to the microcent, the
// ledger is consistent, and exactly the paid machines run. HISTORIES sets the number of histories (`npm run prove --
// rental-histories --size large`: 1000), FIRST_HISTORY the first one.
import type { App } from '@millrace/contract/apps'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { finish, givenApp } from '#execution/tasks/testing/given.ts'
import { verifyLedger } from '#money/billing/service.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenCloud, offer, region } from '../instances/testing/given.ts'
import { sweepRentals } from './sweep.ts'
import { type BrokerDouble, endIn, grant, launchBody, startBroker } from './testing/broker-double.ts'

const histories = Number(process.env.HISTORIES ?? 2)
const firstHistory = Number(process.env.FIRST_HISTORY ?? 1)
/** The number of concurrent requests; occasionally fifty. */
const manyAtOnce = (random: () => number): number => (histories > 10 && random() < 0.1 ? 50 : 6)
const stepsEach = 12
const runPrice = 1234n

/** Reproducible: the message of a failure contains the seed. */
const randomFrom = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

type Rental = { id: string; instanceId: string; price: bigint; endMs: number; paid: bigint }

/** A model of the rules that shares no code with the server: it calculates every amount independently. */
class Model {
  balance = 0n
  price = 36n
  readonly rentals: Rental[] = []
  readonly runs: string[] = []

  static cost(price: bigint, fromMs: number, toMs: number): bigint {
    const seconds = BigInt(Math.ceil((toMs - fromMs) / 1000))
    const exact = price * 1_000_000n * seconds
    return exact / 3600n + (exact % 3600n === 0n ? 0n : 1n)
  }

  end(rental: Rental, nowMs: number): void {
    const seconds = BigInt(Math.max(0, Math.floor((rental.endMs - nowMs) / 1000)))
    const back = (rental.price * 1_000_000n * seconds) / 3600n
    this.balance += [back, rental.paid].sort((a, b) => Number(a - b))[0] ?? 0n
    this.rentals.splice(this.rentals.indexOf(rental), 1)
  }
}

let world: World
let broker: BrokerDouble
let app: App
beforeAll(async () => {
  world = await createWorld()
  broker = await startBroker()
  app = await givenApp(world)
  await world.call('platform', `PUT /store/apps/${app.id}/pricing`, { body: { total_expression: String(runPrice) } })
})
afterAll(async () => {
  await world.close()
  await broker.close()
})

const setPrice = (price: bigint) =>
  givenCloud(world, 'west', [offer('cpu', [region('w1', Number(price))])], {
    kind: 'http',
    name: 'West',
    url: broker.url,
    token: 'hush',
  })

type Act = (model: Model, random: () => number) => Promise<void>
const pick = <T>(items: readonly T[], random: () => number): T | undefined => items[Math.floor(random() * items.length)]
const nowMs = () => world.clock.now().getTime()

const rentOne = async (model: Model, hours: number): Promise<void> => {
  const endMs = nowMs() + Math.round(hours * 3_600_000)
  const cost = Model.cost(model.price, nowMs(), endMs)
  const answer = await world.call('owner', 'POST /engines', {
    body: launchBody(world, { end_time: new Date(endMs).toISOString() }),
  })
  if (broker.behavior !== 'ok') {
    expect(answer.status).toBe(model.balance < cost ? 402 : 500)
    return
  }
  expect([answer.status, answer.text]).toEqual([model.balance < cost ? 402 : 200, answer.text])
  if (answer.status !== 200) return
  model.balance -= cost
  model.rentals.push({ id: answer.data.id, instanceId: answer.data.instance.id, price: model.price, endMs, paid: cost })
}

/** A workspace with many requests may get an answer to retry later; such an answer has no effect. */
const launch = async (body: object): ReturnType<World['call']> => {
  const answer = await world.call('owner', 'POST /engines', { body })
  // `unavailable`: on a slow machine, one of many requests may time out while waiting for the database.
  return answer.code === 'rate_limited' || answer.code === 'unavailable' ? launch(body) : answer
}

const acts: Record<string, Act> = {
  grant: async (model, random) => {
    const amount = 1 + Math.floor(random() * 200_000_000)
    await grant(world, amount)
    model.balance += BigInt(amount)
  },
  rent: (model, random) => rentOne(model, 1 + random() * 5),
  launchFails: async (model) => {
    broker.behavior = 'late'
    await rentOne(model, 1)
    broker.behavior = 'ok'
  },
  priceChange: async (model, random) => {
    model.price = 1n + BigInt(Math.floor(random() * 99))
    await setPrice(model.price)
  },
  extend: async (model, random) => {
    const rental = pick(model.rentals, random)
    if (!rental) return
    const endMs = rental.endMs + Math.round(random() * 7_200_000) + 1
    const cost = Model.cost(rental.price, rental.endMs, endMs)
    const answer = await world.call('owner', `POST /engines/${rental.id}/extend`, {
      body: { end_time: new Date(endMs).toISOString() },
    })
    expect(answer.status).toBe(model.balance < cost ? 402 : 200)
    if (answer.status !== 200) return
    model.balance -= cost
    Object.assign(rental, { endMs, paid: rental.paid + cost })
  },
  stop: async (model, random) => {
    const rental = pick(model.rentals, random)
    if (!rental) return
    const route = random() < 0.5 ? `POST /engines/${rental.id}/stop` : `DELETE /engines/${rental.id}`
    expect((await world.call('owner', route)).status).toBe(200)
    model.end(rental, nowMs())
  },
  lose: async (model, random) => {
    const rental = pick(model.rentals, random)
    if (!rental) return
    broker.machines.delete(rental.instanceId)
    world.clock.advance(15_000)
    await sweepRentals(world.ctx())
    // Other rentals may have ended in these seconds.
    for (const one of [...model.rentals]) if (one === rental || one.endMs <= nowMs()) model.end(one, nowMs())
  },
  wait: async (model, random) => {
    world.clock.advance(Math.floor(random() * 900_000))
    await sweepRentals(world.ctx())
    for (const rental of [...model.rentals]) if (rental.endMs <= nowMs()) model.end(rental, nowMs())
  },
  run: async (model) => {
    const answer = await world.call('owner', 'POST /run', { body: { app_id: app.id, input: { text: 'x' } } })
    expect(answer.status).toBe(model.balance < runPrice ? 402 : 200)
    if (answer.status !== 200) return
    model.balance -= runPrice
    model.runs.push(answer.data.id)
  },
  endRun: async (model, random) => {
    const id = model.runs.pop()
    if (id === undefined) return
    if (random() < 0.5) await finish(world, id)
    else {
      await world.call('owner', `POST /tasks/${id}/cancel`)
      model.balance += runPrice
    }
  },
  rentMany: async (model, random) => {
    const cost = Model.cost(model.price, nowMs(), nowMs() + 3_600_000)
    const affordable = Number(model.balance / cost)
    const many = manyAtOnce(random)
    const body = launchBody(world, { end_time: endIn(world, 3_600_000) })
    const answers = await Promise.all(Array.from({ length: many }, () => launch(body)))
    const started = answers.filter(({ status }) => status === 200)
    const refusals = answers.filter(({ status }) => status !== 200).map(({ code, text }) => code ?? text)
    expect(refusals).toEqual(Array(Math.max(0, many - affordable)).fill('payment_required'))
    for (const { data } of started)
      model.rentals.push({
        id: data.id,
        instanceId: data.instance.id,
        price: model.price,
        endMs: nowMs() + 3_600_000,
        paid: cost,
      })
    model.balance -= cost * BigInt(started.length)
  },
}

/** Machines without an engine are refunded automatically, which this model does not cover. */
const keepAlive = async (): Promise<void> => {
  await world.open.platform.db
    .updateTable('engines')
    .set({ connection_number: 1 })
    .where('status', '=', 'pending')
    .execute()
}

/** Including runs: a run that stays queued is ended by a timeout that this model does not cover. */
const endAll = async (model: Model): Promise<void> => {
  for (const id of model.runs.splice(0)) {
    await world.call('owner', `POST /tasks/${id}/cancel`)
    model.balance += runPrice
  }
  for (const rental of [...model.rentals]) {
    await world.call('owner', `POST /engines/${rental.id}/stop`)
    model.end(rental, nowMs())
  }
  await sweepRentals(world.ctx())
  world.clock.advance(61_000)
  await sweepRentals(world.ctx())
}

const balance = async (): Promise<bigint> => BigInt((await world.call('owner', 'GET /billing')).data.balance)

it(`${histories} histories end with the calculated balance`, {
  timeout: 120_000 + histories * 20_000,
}, async () => {
  const model = new Model()
  await setPrice(model.price)
  for (let history = firstHistory; history < firstHistory + histories; history += 1) {
    const random = randomFrom(history)
    const told: string[] = []
    for (let step = 0; step < stepsEach; step += 1) {
      const name = pick(Object.keys(acts), random) ?? 'wait'
      told.push(name)
      await acts[name]?.(model, random)
      await keepAlive()
      expect(await balance(), `history ${history}: ${told.join(', ')}`).toBe(model.balance)
    }
    await endAll(model)
    expect(await balance(), `history ${history}, at its end: ${told.join(', ')}`).toBe(model.balance)
    expect([...broker.machines.keys()], `history ${history}: ${told.join(', ')}`).toEqual([])
  }
  expect(await verifyLedger(world.open.platform)).toMatchObject({ ok: true })
})
