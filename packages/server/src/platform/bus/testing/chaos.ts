// A transport that loses, delays, duplicates and reorders messages.
import type { Receiver } from '../shared.ts'

export type Chaos = { drop: number; twice: number; lateMs: number; random: () => number }

export const chaotic = (receiver: Receiver, { drop, twice, lateMs, random }: Chaos): Receiver => ({
  ...receiver,
  receive: (subject, data) => {
    if (random() < drop) return
    for (let copies = random() < twice ? 2 : 1; copies > 0; copies -= 1)
      setTimeout(() => receiver.receive(subject, data), random() * lateMs)
  },
})

/** A random number generator with a seed. */
export const seeded = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
