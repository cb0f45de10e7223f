// Search across all kinds of resources.
import { collections, suggestTypes } from '@millrace/contract/search'
import { type Command, text, wholeNumber } from '../command.ts'
import { firstCharacters } from '../files/utf8.ts'

const search: Command = {
  words: 'search <query>',
  summary: 'Find apps, skills, knowledge, agents and flows',
  options: [
    ['--in <collections>', `only these, separated by commas: ${collections.join(', ')}`],
    ['--limit <count>', 'number of results per collection (default 20)'],
  ],
  example: 'millrace search "resize images" --in apps,skills',
  run: async (cli, [query = ''], options) => {
    const limit = wholeNumber(options, 'limit', { min: 1 })
    const answer = await cli.api().call('search.find', {
      body: {
        query,
        ...(limit === undefined ? {} : { limit }),
        collections: text(options, 'in')?.split(',') as (typeof collections)[number][] | undefined,
      },
    })
    const rows = answer.results.map(({ collection, score, fields }) => [
      score.toFixed(2),
      collection,
      `${fields.namespace}/${fields.name}`,
      firstCharacters(`${fields.description}`, 80),
    ])
    return { text: cli.table(['SCORE', 'TYPE', 'NAME', 'DESCRIPTION'], rows), json: answer }
  },
}

const suggest: Command = {
  words: 'suggest <task>',
  summary: 'Suggest apps, skills and agents for a task, with the command to use each',
  options: [['--category <category>', suggestTypes.join(', ')]],
  example: 'millrace suggest "make a picture larger"',
  run: async (cli, [query = ''], options) => {
    const category = text(options, 'category') as (typeof suggestTypes)[number] | undefined
    const answer = await cli.api().call('suggest.find', { body: { query, ...(category ? { category } : {}) } })
    const rows = answer.results.map(({ type, description, command }) => [
      type,
      command,
      firstCharacters(description, 80),
    ])
    return {
      text: rows.length === 0 ? 'No results' : cli.table(['TYPE', 'COMMAND', 'DESCRIPTION'], rows),
      json: answer,
    }
  },
}

export const searchCommands = [search, suggest]
