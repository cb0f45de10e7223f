import { z } from 'zod'

export const AppSetup = z.object({ voice: z.string().default('ara') })
export const RunInput = z.object({ text: z.string() })
export const RunOutput = z.object({ said: z.string() })

export class App {
  async setup(config) {
    this.voice = config.voice
  }

  async run({ text }) {
    return { said: `${this.voice}: ${text}` }
  }
}
