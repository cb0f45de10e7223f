// Every command, in the order of the help.
import type { Command } from './command.ts'
import { agentCommands } from './commands/agent.ts'
import { apiCommands } from './commands/api.ts'
import { appCommands } from './commands/app.ts'
import { appInitCommands } from './commands/app-init.ts'
import { artifactCommands } from './commands/artifact.ts'
import { brokerCommands } from './commands/broker.ts'
import { completionCommands } from './commands/completion.ts'
import { connectCommands } from './commands/connect.ts'
import { deployCommands } from './commands/deploy.ts'
import { doctorCommands } from './commands/doctor.ts'
import { engineCommands } from './commands/engine.ts'
import { fileCommands } from './commands/file.ts'
import { flowCommands } from './commands/flow.ts'
import { keyCommands } from './commands/key.ts'
import { knowledgeCommands } from './commands/knowledge.ts'
import { loginCommands } from './commands/login.ts'
import { openCommands } from './commands/open.ts'
import { remoteCommands } from './commands/remote.ts'
import { remoteExecCommands } from './commands/remote-exec.ts'
import { runCommands } from './commands/run.ts'
import { secretCommands } from './commands/secret.ts'
import { taskCommands } from './commands/task.ts'
import { teamCommands } from './commands/team.ts'
import { triggerCommands } from './commands/trigger.ts'

export const commands: readonly Command[] = [
  ...loginCommands,
  ...teamCommands,
  ...appInitCommands,
  ...deployCommands,
  ...runCommands,
  ...agentCommands,
  ...appCommands,
  ...taskCommands,
  ...flowCommands,
  ...triggerCommands,
  ...secretCommands,
  ...connectCommands,
  ...keyCommands,
  ...fileCommands,
  ...knowledgeCommands,
  ...artifactCommands,
  ...engineCommands,
  ...remoteCommands,
  ...remoteExecCommands,
  ...brokerCommands,
  ...openCommands,
  ...apiCommands,
  ...doctorCommands,
  ...completionCommands,
]
