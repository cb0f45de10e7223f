// Guards: nobody is offered a visibility that the server would refuse, and what a row is now is always shown.
import { expect, it } from 'vitest'
import { visibilitiesFor } from './visibilities.ts'

const owner = { decides: true, inOrganization: false }
const member = { decides: false, inOrganization: false }

it.each([
  ['who decides chooses all of them', 'private', owner, 'open', ['private', 'team', 'unlisted', 'public']],
  ['a colleague shows nothing to everyone', 'team', member, 'open', ['private', 'team']],
  ['a colleague may take back what everyone sees', 'public', member, 'open', ['private', 'team', 'public']],
  ['where widening is for the maker, a colleague narrows', 'team', member, 'wider', ['private', 'team']],
  ['from all to fewer', 'unlisted', member, 'wider', ['private', 'team', 'unlisted']],
  [
    'the organization, where there is one',
    'team',
    { ...owner, inOrganization: true },
    'wider',
    ['private', 'team', 'org', 'unlisted', 'public'],
  ],
  ['what is held stays to be seen', 'org', member, 'open', ['private', 'team', 'org']],
] as const)('%s', (_claim, held, chooser, rule, expected) => {
  expect(visibilitiesFor(held, chooser, rule)).toEqual(expected)
})
