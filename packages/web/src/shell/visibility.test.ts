// Guarantees: the console offers no visibility that the server would refuse, and always shows the current one.
import { expect, it } from 'vitest'
import { choicesIn, visibilityChoices } from './visibility.ts'

const owner = { isOwnerOrAdmin: true, inOrganization: false }
const member = { isOwnerOrAdmin: false, inOrganization: false }

it.each([
  ['an owner may choose all values', 'private', owner, 'open', ['private', 'team', 'unlisted', 'public']],
  ['a colleague cannot open a row to everyone', 'team', member, 'open', ['private', 'team']],
  ['a colleague may close a public row', 'public', member, 'open', ['private', 'team', 'public']],
  ['with the rule `wider`, a colleague may only narrow', 'team', member, 'wider', ['private', 'team']],
  ['narrowing from unlisted', 'unlisted', member, 'wider', ['private', 'team', 'unlisted']],
  [
    'the organization is offered if the workspace has one',
    'team',
    { ...owner, inOrganization: true },
    'wider',
    ['private', 'team', 'org', 'unlisted', 'public'],
  ],
  ['the current value is always offered', 'org', member, 'open', ['private', 'team', 'org']],
] as const)('%s', (_claim, current, chooser, rule, expected) => {
  expect(visibilityChoices(current, chooser, rule)).toEqual(expected)
})

it('offers the choices of a resource with its current value, from the narrowest to the widest', () => {
  expect(choicesIn('private', ['public', 'team', 'private'])).toEqual(['private', 'team', 'public'])
  expect(choicesIn('org', ['private', 'public'])).toEqual(['private', 'org', 'public'])
})
