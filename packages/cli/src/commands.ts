// Every command, in the order of the help.
import type { Command } from './command.ts'
import { agentCommands } from './commands/agent.ts'
import { agentRunCommands } from './commands/agent-run.ts'
import { apiCommands } from './commands/api.ts'
import { appCommands } from './commands/app.ts'
import { appCreateCommands } from './commands/app-create.ts'
import { artifactCommands } from './commands/artifact.ts'
import { brokerCommands } from './commands/broker.ts'
import { completionCommands } from './commands/completion.ts'
import { connectionCommands } from './commands/connection.ts'
import { connectorCommands } from './commands/connector.ts'
import { deployCommands } from './commands/deploy.ts'
import { doctorCommands } from './commands/doctor.ts'
import { engineCommands } from './commands/engine.ts'
import { fileCommands } from './commands/file.ts'
import { flowCommands } from './commands/flow.ts'
import { keyCommands } from './commands/key.ts'
import { knowledgeCommands } from './commands/knowledge.ts'
import { loginCommands } from './commands/login.ts'
import { openCommands } from './commands/open.ts'
import { projectCommands } from './commands/project.ts'
import { remoteCommands } from './commands/remote.ts'
import { remoteExecCommands } from './commands/remote-exec.ts'
import { remoteStartCommands } from './commands/remote-start.ts'
import { runCommands } from './commands/run.ts'
import { searchCommands } from './commands/search.ts'
import { secretCommands } from './commands/secret.ts'
import { skillCommands } from './commands/skill.ts'
import { taskCommands } from './commands/task.ts'
import { triggerCommands } from './commands/trigger.ts'
import { workspaceCommands } from './commands/workspace.ts'

export const commands: readonly Command[] = [
  ...loginCommands,
  ...workspaceCommands,
  ...appCreateCommands,
  ...deployCommands,
  ...runCommands,
  ...appCommands,
  ...taskCommands,
  ...flowCommands,
  ...triggerCommands,
  ...agentRunCommands,
  ...agentCommands,
  ...secretCommands,
  ...connectionCommands,
  ...connectorCommands,
  ...keyCommands,
  ...fileCommands,
  ...knowledgeCommands,
  ...skillCommands,
  ...artifactCommands,
  ...projectCommands,
  ...searchCommands,
  ...engineCommands,
  ...remoteStartCommands,
  ...remoteCommands,
  ...remoteExecCommands,
  ...brokerCommands,
  ...openCommands,
  ...apiCommands,
  ...doctorCommands,
  ...completionCommands,
]
