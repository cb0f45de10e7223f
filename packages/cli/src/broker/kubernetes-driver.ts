// Kubernetes: an engine is a Pod, and its key is a Secret that the Pod owns.
import type { Machine } from '@millrace/contract/broker'
import { type Driver, engineEnvironment, type Facts, limitSeconds } from './driver.ts'
import { type Cluster, callCluster, type Pod } from './kubernetes-api.ts'

export type KubernetesOptions = { readonly namespace: string; readonly image: string }

const nameOf = (id: string): string => `millrace-${id}`
const label = 'millrace.dev/instance'

/** The instance type is the limits of the Pod as JSON: `{"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "1"}`. */
const limitsOf = ({ cloud_instance_type: type }: Machine): Record<string, string> => {
  if (!type.startsWith('{')) return {}
  const limits = JSON.parse(type) as Record<string, unknown>
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]))
}

/** The Pod is named after the machine, so that a repeated call finds the first Pod. */
export const podOf = (machine: Machine, { image }: KubernetesOptions, now: Date): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: nameOf(machine.id),
    labels: { [label]: machine.id, 'app.kubernetes.io/name': 'millrace-engine' },
  },
  spec: {
    restartPolicy: 'OnFailure',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    activeDeadlineSeconds: limitSeconds(machine, now),
    terminationGracePeriodSeconds: 30,
    ...(machine.region === 'default' ? {} : { nodeSelector: { 'topology.kubernetes.io/region': machine.region } }),
    containers: [
      {
        name: 'engine',
        image,
        envFrom: [{ secretRef: { name: nameOf(machine.id) } }],
        resources: { limits: limitsOf(machine) },
        securityContext: { allowPrivilegeEscalation: false },
        volumeMounts: [{ name: 'work', mountPath: '/var/lib/millrace' }],
      },
    ],
    volumes: [{ name: 'work', emptyDir: {} }],
  },
})

export const secretOf = (machine: Machine, owner: Pod) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: nameOf(machine.id),
    labels: { [label]: machine.id },
    // Kubernetes deletes the Secret with its Pod.
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Pod', name: nameOf(machine.id), uid: owner.metadata.uid ?? '', controller: true },
    ],
  },
  stringData: engineEnvironment(machine),
})

const statuses: Record<string, string> = { Pending: 'pending', Running: 'active', Unknown: 'error' }

/** Null for a Pod that has ended. */
const factsOf = (pod: Pod): (Facts & { cloud_assigned_id: string }) | null => {
  const status = statuses[pod.status?.phase ?? 'Pending']
  if (status === undefined || pod.metadata.deletionTimestamp) return null
  const ip = pod.status?.podIP
  return { status, cloud_assigned_id: pod.metadata.uid ?? '', ...(ip ? { ip } : {}) }
}

/** The response, or null for the one status that means that nothing has to be done. */
const callFor = async (
  cluster: Cluster,
  allowed: number,
  ...[method, path, body]: [method: string, path: string, body?: object]
): Promise<unknown> => {
  const reply = await callCluster(cluster, method, path, body)
  if (reply.status === allowed) return null
  if (reply.status < 200 || reply.status > 299)
    throw new Error(`${method} ${path}: the cluster answered ${reply.status}`)
  return reply.body
}

export const createKubernetesDriver = (cluster: Cluster, options: KubernetesOptions): Driver => {
  const base = `/api/v1/namespaces/${encodeURIComponent(options.namespace)}`
  const find = async (id: string): Promise<Pod | null> =>
    (await callFor(cluster, 404, 'GET', `${base}/pods/${nameOf(id)}`)) as Pod | null
  return {
    create: async (machine) => {
      await callFor(cluster, 409, 'POST', `${base}/pods`, podOf(machine, options, new Date()))
      const pod = await find(machine.id)
      const facts = pod && factsOf(pod)
      if (!pod || !facts) throw new Error('The Pod ended at once')
      await callFor(cluster, 409, 'POST', `${base}/secrets`, secretOf(machine, pod))
      return facts
    },
    status: async (id) => {
      const pod = await find(id)
      return pod && factsOf(pod)
    },
    remove: async (id) => {
      for (const kind of ['pods', 'secrets']) await callFor(cluster, 404, 'DELETE', `${base}/${kind}/${nameOf(id)}`)
    },
    list: async () => {
      const { items } = (await callFor(cluster, 404, 'GET', `${base}/pods?labelSelector=${label}`)) as { items: Pod[] }
      return items.flatMap((pod) => {
        const id = pod.metadata.labels[label]
        const facts = factsOf(pod)
        return id && facts ? [{ id, status: facts.status }] : []
      })
    },
  }
}
