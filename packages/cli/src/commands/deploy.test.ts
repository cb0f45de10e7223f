// Guarantees: the commands that a deploy suggests work as printed.
import { expect, test } from 'vitest'
import { nextSteps } from './deploy.ts'

const deployed = {
  ref: 'acme/x',
  version: '01jqv3w7',
  active: true,
  functions: ['boom', 'run'],
  default_function: 'run',
}

test.each<[string, Partial<typeof deployed>, string]>([
  ['the default function by itself', {}, 'millrace run acme/x -i'],
  ['another one by its name', { default_function: 'go' }, 'millrace run acme/x:boom -i'],
  ['a staged version by its version', { active: false }, 'millrace run acme/x@01jqv3w7 --wait'],
])('runs %s', (_claim, changes, says) => expect(nextSteps({ ...deployed, ...changes }).join('\n')).toContain(says))
