// Closes file descriptors that the program which started the engine left open, for example those of `flock`. An app could
// inherit them, or open them again through the engine's entry in /proc.

import { closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const closeOnExec = 0o2000000
const standardStreams = 2

type Descriptor = { fd: number; target: string }

/** Called before the engine opens anything. `kept`: a descriptor that was handed over on purpose. */
export const closeInheritedDescriptors = (kept?: number): void => {
  const descriptors = openDescriptors()
  for (const descriptor of descriptors) {
    if (descriptor.fd <= standardStreams || descriptor.fd === kept) continue
    if (isInherited(descriptor, descriptors)) closeSync(descriptor.fd)
  }
}

// Systems without /proc list nothing; the descriptor of the listing itself is closed by the time it is read.
const openDescriptors = (): Descriptor[] => {
  try {
    return readdirSync('/proc/self/fd').flatMap((name) => {
      const target = targetOf(name)
      return target === undefined ? [] : [{ fd: Number(name), target }]
    })
  } catch {
    return []
  }
}

const targetOf = (name: string): string | undefined => {
  try {
    return readlinkSync(`/proc/self/fd/${name}`)
  } catch {
    return undefined
  }
}

// At its start Node has no files open, but terminals, pipes of which it holds both ends, and objects of the kernel.
const isInherited = ({ fd, target }: Descriptor, all: readonly Descriptor[]): boolean => {
  if (target.startsWith('/')) return !/^\/dev\/(pts\/|tty)/.test(target)
  if (target.startsWith('pipe:')) return all.filter((other) => other.target === target).length === 1
  return !closesOnExec(fd)
}

const closesOnExec = (fd: number): boolean => {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
  return (Number.parseInt(flags, 8) & closeOnExec) !== 0
}
