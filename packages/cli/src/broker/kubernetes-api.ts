// The routes of a Kubernetes API server that a broker needs, with the credential of a service account.
import { readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type Pod = {
  readonly apiVersion: 'v1'
  readonly kind: 'Pod'
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly uid?: string
    readonly deletionTimestamp?: string
  }
  readonly spec: object
  readonly status?: { readonly phase?: string; readonly podIP?: string }
}

export type Cluster = {
  readonly url: string
  /** Read for every call, because Kubernetes renews the token of a service account. */
  token(): Promise<string | null>
  readonly ca?: string
}

export type Reply = { readonly status: number; readonly body: unknown }

const deadlineMs = 20_000
const maxBytes = 10 * 1024 * 1024

export const callCluster = async (cluster: Cluster, method: string, path: string, body?: object): Promise<Reply> => {
  const token = await cluster.token()
  const url = new URL(`${cluster.url.replace(/\/+$/, '')}${path}`)
  const options = {
    method,
    signal: AbortSignal.timeout(deadlineMs),
    headers: {
      accept: 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(cluster.ca === undefined ? {} : { ca: cluster.ca }),
  }
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const call = send(url, options, (reply) => {
      let text = ''
      reply.on('data', (part) => {
        text += String(part)
        if (text.length > maxBytes) reply.destroy(new Error('The response of the cluster is too large'))
      })
      reply.on('error', reject)
      reply.on('end', () => {
        try {
          resolve({ status: reply.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) })
        } catch (error) {
          reject(error)
        }
      })
    })
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The given address, such as that of `kubectl proxy`, or the cluster that this program runs in. */
export const findCluster = async (
  env: Readonly<Record<string, string | undefined>>,
  given: { url?: string; tokenFile?: string },
): Promise<Cluster> => {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  const tokenFile = given.tokenFile ?? (given.url === undefined ? `${accountFolder}/token` : undefined)
  const token = async () => (tokenFile === undefined ? null : (await readFile(tokenFile, 'utf8')).trim())
  if (given.url !== undefined) return { url: given.url, token }
  if (host === undefined) throw new Error('Not inside a cluster; pass --cluster, such as the address of kubectl proxy')
  return { url: `https://${host}:${port}`, token, ca: await readFile(`${accountFolder}/ca.crt`, 'utf8') }
}
