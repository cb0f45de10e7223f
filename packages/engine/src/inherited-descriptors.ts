// Closes file descriptors that the program which started the engine left open, for example those of `flock`. An app
// could inherit them, or open them again through the engine's entry in /proc.

import { closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const closeOnExec = 0o2000000
const standardStreams = 2

type Descriptor = { fd: number; target: string }

/** Must be called before the engine opens anything. `passed`: a descriptor that was passed deliberately. */
export const closeInheritedDescriptors = (passed?: number): void => {
  const descriptors = openDescriptors()
  for (const descriptor of descriptors) {
    if (descriptor.fd <= standardStreams || descriptor.fd === passed) continue
    if (isInherited(descriptor, descriptors)) closeSync(descriptor.fd)
  }
}

// Without /proc the list is empty. The descriptor of the listing itself is closed when its entry is read.
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

// A fresh Node process has no files open, only terminals, pipes with both ends in this process, and kernel objects.
const isInherited = ({ fd, target }: Descriptor, all: readonly Descriptor[]): boolean => {
  if (target.startsWith('/')) return !/^\/dev\/(pts\/|tty)/.test(target)
  if (target.startsWith('pipe:')) return all.filter((other) => other.target === target).length === 1
  return !closesOnExec(fd)
}

const closesOnExec = (fd: number): boolean => {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
  return (Number.parseInt(flags, 8) & closeOnExec) !== 0
}
