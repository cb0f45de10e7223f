// Guarantees: the document of a service account is validated by using it, is never shown again and renews its tokens;
// the settings of a workload identity are validated as far as possible.
import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { fresh } from './refresh.ts'
import { runCredentials } from './service.ts'
import { findById } from './store.ts'
import { type CustomOauthServer, startCustomOauthServer } from './testing/custom-oauth-server.ts'
import { credentialRow } from './testing/given.ts'

let world: World
let google: CustomOauthServer

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const ellipticPem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

const account = (more: object = {}) => ({
  type: 'service_account',
  project_id: 'mill-1',
  private_key_id: 'k1',
  private_key: pem,
  client_email: 'robot@mill-1.iam.gserviceaccount.com',
  token_uri: `${google.address}/token`,
  ...more,
})

const pool = (more: object = {}) => ({
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/mill/providers/millrace',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: { file: '/var/run/token' },
  ...more,
})

let minted = 0

beforeAll(async () => {
  google = await startCustomOauthServer()
  google.answer = (form) => {
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const genuine = createVerify('RSA-SHA256')
      .update(`${header}.${claims}`)
      .verify(createPublicKey(privateKey), signature, 'base64url')
    const { iss, aud, scope } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const known = iss === 'robot@mill-1.iam.gserviceaccount.com' && aud === `${google.address}/token` && scope !== ''
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || !genuine || !known)
      return { status: 400, body: { error: 'invalid_grant' } }
    minted += 1
    return { body: { access_token: `ya29.${minted}`, token_type: 'Bearer', expires_in: 3600 } }
  }
  world = await createWorld()
})
afterAll(async () => {
  await world?.close()
  await google?.close()
})

const connect = (metadata: unknown, more: object = {}) =>
  world.call('owner', 'POST /credentials', {
    body: { provider: 'google-sa', type: 'service_account', metadata, ...more },
  })

describe('a service account', () => {
  it('connects, says whose it is, shows nothing of its key, and gives runs a token', async () => {
    const answer = await connect(account())
    expect(answer.status, answer.text).toBe(200)
    expect(answer.data.credential).toMatchObject({
      provider: 'google-sa',
      type: 'service_account',
      scope: 'team',
      status: 'connected',
      account_identifier: 'robot@mill-1.iam.gserviceaccount.com',
      account_name: 'mill-1',
      scopes: ['https://www.googleapis.com/auth/cloud-platform'],
    })
    expect(answer.text).not.toContain('PRIVATE KEY')
    const { values } = await runCredentials(world.open.platform, world.team.id, world.people.member.userId, [
      { provider: 'google-sa' },
    ])
    expect(values.GOOGLE_SA_ACCESS_TOKEN).toMatch(/^ya29\./)
    expect(JSON.parse(values.GOOGLE_SA_CREDENTIALS_JSON ?? '{}')).toMatchObject({ private_key: pem })
  })

  it('may be sent as text', async () => {
    expect((await connect({ json: JSON.stringify(account()) })).status).toBe(200)
  })

  it('mints again before the hour is over', async () => {
    const { data } = await connect(account(), { scopes: ['https://www.googleapis.com/auth/drive'] })
    const row = await findById(world.open.platform.db, data.credential.id)
    world.clock.advance(56 * 60_000)
    const renewed = row && (await fresh(world.open.platform, row))
    expect(renewed).toMatchObject({ status: 'connected', token_generation: (row?.token_generation ?? 0) + 1 })
    expect(renewed?.scopes).toEqual(['https://www.googleapis.com/auth/drive'])
  })

  it.each([
    ['nothing', undefined, /`metadata` is required/],
    ['another type', () => account({ type: 'authorized_user' }), /metadata\.type/],
    ['no address', () => account({ client_email: undefined }), /client_email` is required/],
    ['an address that is none', () => account({ client_email: 'robot' }), /client_email/],
    ['no key', () => account({ private_key: '' }), /private_key` is required/],
    ['a key that is none', () => account({ private_key: 'x' }), /private_key` must be an RSA key/],
    ['a key of another kind', () => account({ private_key: ellipticPem }), /private_key` must be an RSA key/],
    ['text that is no JSON', { json: '{' }, /JSON document/],
    ['a list', { json: '[]' }, /JSON document/],
    ['tokens from a private address', () => account({ token_uri: 'https://10.0.0.1/token' }), /not allowed/],
    ['tokens over plain http', () => account({ token_uri: 'http://oauth.example/token' }), /https/],
  ])('%s', async (_claim, metadata, says) => {
    const answer = await connect(typeof metadata === 'function' ? metadata() : metadata)
    expect(answer).toMatchObject({ status: 400, code: 'validation_error' })
    expect(answer.text).toMatch(says)
  })

  it('a key that the cloud does not know is refused', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
    expect(await connect(account({ private_key: other }))).toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('belongs to its own provider', async () => {
    expect(await connect(account(), { provider: 'google' })).toMatchObject({ status: 400, code: 'validation_error' })
  })
})

describe('workload identity', () => {
  const connectPool = (metadata: unknown) =>
    world.call('owner', 'POST /credentials', { body: { provider: 'gcp', type: 'wif', metadata } })

  it('connects, and a run gets the settings', async () => {
    const answer = await connectPool(pool())
    expect(answer.data.credential, answer.text).toMatchObject({
      type: 'wif',
      status: 'connected',
      account_name: 'millrace',
    })
    const row = await credentialRow(world, answer.data.credential.id)
    expect(row.expires_at).toBeNull()
    const { values, fingerprint } = await runCredentials(
      world.open.platform,
      world.team.id,
      world.people.owner.userId,
      [{ provider: 'gcp' }],
    )
    expect(JSON.parse(values.GCP_CREDENTIALS_JSON ?? '')).toEqual(pool())
    expect(fingerprint).toMatch(/^[0-9a-f]{32}$/)
  })

  it.each([
    ['another type', { type: 'service_account' }, /metadata\.type/],
    ['an audience that is no pool', { audience: 'https://example.com' }, /audience/],
    ['an unknown kind of token', { subject_token_type: 'x' }, /subject_token_type/],
    ['no token address', { token_url: '' }, /token_url` is required/],
    ['a token address that is none', { token_url: 'x' }, /token_url/],
  ])('%s', async (_claim, more, says) => {
    const answer = await connectPool(pool(more))
    expect(answer).toMatchObject({ status: 400, code: 'validation_error' })
    expect(answer.text).toMatch(says)
  })
})
