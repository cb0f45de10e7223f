import { z } from 'zod'

export const RunInput = z.object({
  prompt: z.string().min(1).describe('The text to say'),
  times: z.number().int().min(1).max(5).default(2),
  style: z.enum(['plain', 'loud']).default('plain'),
})
export const RunOutput = z.object({ text: z.string() })

export class App {
  async run({ prompt, times, style }) {
    const text = Array(times).fill(prompt).join(' ')
    return { text: style === 'loud' ? text.toUpperCase() : text }
  }
}
