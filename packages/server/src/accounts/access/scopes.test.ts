// Guarantees: everyone can read the catalog of scopes, and no one is offered scopes that they cannot have.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'

const values = (data: { scopes: { value: string }[] }) => data.scopes.map((scope) => scope.value)

scenarios('scopes.list', () => null, [
  {
    claim: 'signed out: the catalogue without engine and store scopes',
    as: null,
    status: 200,
    check: ({ data }) => {
      expect(values(data)).toContain('apps:read')
      expect(values(data)).not.toContain('engines:write')
      expect(data.login_preset).toBe('standard')
      expect(data.grants).toContain('approvals:write')
    },
  },
  {
    claim: 'an admin also sees engine scopes',
    as: 'admin',
    status: 200,
    check: ({ data }) => expect(values(data)).toContain('engines:write'),
  },
  { claim: 'a broken credential is refused', as: { token: 'mill-nonsense' }, status: 401, code: 'unauthorized' },
])
