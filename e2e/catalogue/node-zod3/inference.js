import { createFileSchema } from '@inferencesh/app'
import { z } from 'zod/v3'

export const RunInput = z.object({
  prompt: z.string().min(1).max(100).describe('The text to say'),
  times: z.number().int().min(1).max(5).default(2),
  style: z.enum(['plain', 'loud']).optional(),
  picture: createFileSchema(z).optional().describe('A picture'),
  options: z.object({ seed: z.number().nullable() }).optional(),
  tags: z.array(z.union([z.string(), z.literal(7)])).default([]),
})
export const RunOutput = z.object({ text: z.string(), tags: z.array(z.any()) })

export class App {
  async run({ prompt, times, tags }) {
    return { text: Array(times).fill(prompt).join(' '), tags }
  }
}
