import { z } from 'zod'

export const GetAllInput = z.object({ limit: z.number().default(2) })
export const GetAllOutput = z.object({ items: z.array(z.string()) })
export const FindOneInput = z.object({ name: z.string() })
export const FindOneOutput = z.object({ found: z.boolean() })

const held = ['oak', 'elm', 'ash']

export class App {
  async get_all({ limit }) {
    return { items: held.slice(0, limit) }
  }

  async findOne({ name }) {
    return { found: held.includes(name) }
  }

  _private() {}
}
