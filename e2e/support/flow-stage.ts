// A server that is killed and started again on its data folder, with a signed-in owner who starts flows.
import { freePort } from '../../packages/server/src/testing/tcp-proxy.ts'
import { type SignedIn, signIn } from './operator.ts'
import { type ServerProcess, startServer } from './server.ts'

export type FlowStage = { server: ServerProcess; owner: SignedIn; port: number; dataDir: string }

export const startStageServer = (port: number, dataDir?: string) =>
  startServer({
    ...(dataDir === undefined ? {} : { dataDir }),
    args: ['--port', String(port)],
    env: { RATE_LIMIT_RUN: '0', ENGINE_CPU_WORKERS: '4' },
  })

export const openFlowStage = async (email: string, username: string): Promise<FlowStage> => {
  const port = await freePort()
  const server = await startStageServer(port)
  const { dataDir } = server
  try {
    return { server, owner: await signIn(dataDir, email, username), port, dataDir }
  } catch (error) {
    await server.remove()
    throw error
  }
}

export const callStage = async (stage: FlowStage, route: string, body?: object) => {
  const [method, path] = route.split(' ')
  const answer = await fetch(`http://127.0.0.1:${stage.port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${stage.owner.session_token}`,
      'x-team-id': stage.owner.team_id,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data, ...rest } = (await answer.json()) as { data: never }
  if (!answer.ok) throw new Error(JSON.stringify(rest))
  return data as Record<string, never> & { id: string }
}

export const killServer = async (stage: FlowStage): Promise<void> => {
  await stage.server.kill()
  stage.server = await startStageServer(stage.port, stage.dataDir)
}
