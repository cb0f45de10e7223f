// Every command, in the order of the help.
import type { Command } from './command.ts'
import { agentCommands } from './commands/agent.ts'
import { apiCommands } from './commands/api.ts'
import { appCommands } from './commands/app.ts'
import { artifactCommands } from './commands/artifact.ts'
import { deployCommands } from './commands/deploy.ts'
import { engineCommands } from './commands/engine.ts'
import { fileCommands } from './commands/file.ts'
import { knowledgeCommands } from './commands/knowledge.ts'
import { loginCommands } from './commands/login.ts'
import { runCommands } from './commands/run.ts'
import { taskCommands } from './commands/task.ts'
import { teamCommands } from './commands/team.ts'

export const commands: readonly Command[] = [
  ...loginCommands,
  ...teamCommands,
  ...deployCommands,
  ...runCommands,
  ...agentCommands,
  ...appCommands,
  ...taskCommands,
  ...fileCommands,
  ...knowledgeCommands,
  ...artifactCommands,
  ...engineCommands,
  ...apiCommands,
]
