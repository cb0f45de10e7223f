// `millrace admin rotate-master-key` and `rotate-data-key`.
import { platformKeyTeam } from '#platform/keyring/keyring.ts'
import { rotateDataKey, rotateMasterKey } from '#platform/keyring/rotation.ts'
import { teamNamed } from './acting.ts'
import { type Command, required } from './words.ts'

export const rotateMaster: Command = {
  usage: 'rotate-master-key',
  summary: 'Seal every data key with a new master key while the server works; finishes a rotation that was cut short',
  run: async (open) => {
    const done = await rotateMasterKey(open)
    const what = done.resumed ? 'Finished the rotation that was under way' : 'Rotated the master key'
    return { text: `${what}: ${done.resealed} data keys sealed again (${done.master_key_id})`, json: done }
  },
}

export const rotateData: Command = {
  usage: 'rotate-data-key --team NAME',
  summary: 'Give a team a new data key and seal its values again; with the platform’s team also the platform’s own',
  run: async (open, words) => {
    const team = await teamNamed(open, required(words, 'team'))
    const done = await rotateDataKey(open, team.id)
    const own = team.is_platform ? await rotateDataKey(open, platformKeyTeam) : null
    const resealed = done.resealed + (own?.resealed ?? 0)
    return { text: `${team.username}: ${resealed} values sealed again`, json: { ...done, resealed } }
  },
}
