// The remotes of the workspace.
import { type Command, cursorOption, limitOption, pageOf, text } from '../command.ts'
import { CliFailure } from '../failures.ts'
import { findNamed } from '../find.ts'
import { deleteCommand, showCommand } from '../resource.ts'

const list: Command = {
  words: 'remote list',
  summary: 'List your remotes',
  options: [limitOption(50), cursorOption],
  example: 'millrace remote list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('remotes.list', { body: pageOf(options, 50) })
    const rows = page.items.map((remote) => [
      remote.short_id,
      remote.name,
      remote.status,
      remote.exec_enabled ? 'on' : 'off',
      remote.system_info?.os ?? '',
    ])
    return { text: cli.table(['ID', 'NAME', 'STATUS', 'COMMANDS', 'SYSTEM'], rows), json: page }
  },
}

const show = showCommand({
  noun: 'remote',
  example: 'laptop',
  find: async (api, given) => {
    const { id } = await findNamed(api, 'remote', given)
    return api.call('remotes.get', { path: { id } })
  },
  rows: (remote) => [
    ['remote', remote.name],
    ['id', remote.id],
    ['status', remote.status],
    ['commands', remote.exec_enabled ? 'on' : 'off'],
    ['agents', remote.agents_enabled ? 'on' : 'off'],
    ['coding agents', remote.profiles.map(({ display_name: name, status }) => `${name} (${status})`).join(', ')],
    ['system', remote.system_info?.os],
    ['version', remote.remote_version],
  ],
})

const remove = deleteCommand({
  noun: 'remote',
  summary: 'Delete a remote and close its connection',
  example: 'laptop',
  find: (api, given) => findNamed(api, 'remote', given),
  remove: (api, { id }) => api.call('remotes.delete', { path: { id } }),
})

const launch: Command = {
  words: 'remote launch <remote>',
  summary: 'Start a chat with a coding agent of a remote',
  options: [
    ['--agent <kind>', 'claude, codex, cursor, gemini, goose or kiro (default: the only one)'],
    ['--cwd <folder>', 'working directory of the agent'],
    ['--resume <session>', 'continue this session of the agent'],
  ],
  example: 'millrace remote launch laptop --agent claude --cwd ~/project',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const { id, name } = await findNamed(api, 'remote', given)
    const { profiles } = await api.call('remotes.get', { path: { id } })
    const kind = text(options, 'agent')
    const matches = profiles.filter((one) => (kind ? one.harness_kind === kind : one.status !== 'unavailable'))
    const [profile] = matches
    const found = profiles.map((one) => `${one.harness_kind} (${one.status})`).join(', ') || 'none'
    const hint = `Coding agents of ${name}: ${found}`
    if (!profile) throw new CliFailure('Coding agent not found', { code: 'not_found', hint })
    if (matches.length > 1) throw new CliFailure('Choose a coding agent with --agent', { code: 'ambiguous', hint })
    const [folder, session] = [text(options, 'cwd'), text(options, 'resume')]
    const chat = await api.call('remotes.launch', {
      path: { id },
      body: {
        profile_id: profile.id,
        ...(folder !== undefined && { work_dir: folder }),
        ...(session !== undefined && { resume_session_id: session }),
      },
    })
    return { text: chat.id, json: chat }
  },
}

export const remoteCommands = [list, show, remove, launch]
