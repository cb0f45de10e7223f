// A seccomp filter for sandboxed apps: blocks socket families that no namespace isolates (such as vsock), and system
// calls into parts of the kernel that apps do not need. A blocked call looks as if the kernel did not support it, so
// programs use a fallback.

import { endianness } from 'node:os'

type Architecture = { audit: number; socket: number; refused: readonly number[]; otherAbi: boolean }

// io_uring could open what `socket` rejects; its numbers are the same on all architectures.
const ioUring = [425, 426, 427]

// add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, open_by_handle_at, kexec_load, acct
const architectures: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    refused: [248, 249, 250, 321, 298, 323, 304, 246, 163, ...ioUring],
    otherAbi: true,
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    refused: [217, 218, 219, 280, 241, 282, 265, 104, 89, ...ioUring],
    otherAbi: false,
  },
}

const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 }

const load = 0x20
const jumpEqual = 0x15
const jumpGreaterOrEqual = 0x35
const end = 0x06

const allow = 0x7fff0000
const failWith = (errno: number) => 0x00050000 | errno
const noSuchCall = failWith(38)
const noSuchFamily = failWith(97)

const offsets = { call: 0, architecture: 4, firstArgument: 16 }

type Step = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

// Two steps each: a jump past the verdict, and the verdict.
const when = (code: number, value: number, verdict: number): Step[] => [
  [code, 0, 1, value],
  [end, 0, 0, verdict],
]

export const seccompFilter = (arch: NodeJS.Architecture = process.arch): Buffer | undefined => {
  const known = architectures[arch]
  if (!known || endianness() !== 'LE') return undefined
  const steps: Step[] = [
    [load, 0, 0, offsets.architecture],
    [jumpEqual, 1, 0, known.audit],
    [end, 0, 0, noSuchCall],
    [load, 0, 0, offsets.call],
    ...(known.otherAbi ? when(jumpGreaterOrEqual, 0x40000000, noSuchCall) : []),
    ...known.refused.flatMap((call) => when(jumpEqual, call, noSuchCall)),
    [jumpEqual, 1, 0, known.socket],
    [end, 0, 0, allow],
    [load, 0, 0, offsets.firstArgument],
    ...Object.values(families).flatMap((family) => when(jumpEqual, family, allow)),
    [end, 0, 0, noSuchFamily],
  ]
  const program = Buffer.alloc(steps.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of steps.entries()) {
    program.writeUInt16LE(code, index * 8)
    program.writeUInt8(ifTrue, index * 8 + 2)
    program.writeUInt8(ifFalse, index * 8 + 3)
    program.writeUInt32LE(value, index * 8 + 4)
  }
  return program
}
