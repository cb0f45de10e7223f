// `millrace admin rotate-master-key` and `rotate-data-key`.
import { platformKeyTeam } from '#platform/keyring/keyring.ts'
import { rotateDataKey, rotateMasterKey } from '#platform/keyring/rotation.ts'
import { teamNamed } from './acting.ts'
import { type OperatorCommand, required } from './command.ts'

export const rotateMaster: OperatorCommand = {
  usage: 'rotate-master-key',
  summary: 'Re-encrypt every data key with a new master key while the server runs; completes an interrupted rotation',
  run: async (open) => {
    const done = await rotateMasterKey(open)
    const what = done.resumed ? 'Completed the interrupted rotation' : 'Rotated the master key'
    return { text: `${what}: ${done.resealed} data keys re-encrypted (${done.master_key_id})`, json: done }
  },
}

export const rotateData: OperatorCommand = {
  usage: 'rotate-data-key --team NAME',
  summary:
    'Create a new data key for a workspace and re-encrypt its values; for the platform workspace also those of the platform',
  run: async (open, words) => {
    const team = await teamNamed(open, required(words, 'team'))
    const done = await rotateDataKey(open, team.id)
    const own = team.is_platform ? await rotateDataKey(open, platformKeyTeam) : null
    const resealed = done.resealed + (own?.resealed ?? 0)
    return { text: `${team.username}: ${resealed} values re-encrypted`, json: { ...done, resealed } }
  },
}
