// The commands that every resource has in the same form.
import type { Api } from './api/client.ts'
import { type Cli, type Command, type CommandOption, type Options, text } from './command.ts'
import { confirm, yesOption } from './confirm.ts'
import { usage } from './failures.ts'
import { details } from './table.ts'

type Words = {
  /** As typed, such as `app`. */
  readonly noun: string
  /** The name of the argument; the noun by default. */
  readonly argument?: string
  /** An argument for the example. */
  readonly example: string
  readonly summary?: string
}

const article = (noun: string): string => (/^[aeiou]/.test(noun) ? 'an' : 'a')

type Target = { readonly id: string; readonly name: string }

type DeleteParts = Words & {
  find(api: Api, given: string): Promise<Target>
  remove(api: Api, target: Target): Promise<unknown>
}

export const deleteCommand = ({ noun, argument = noun, example, summary, find, remove }: DeleteParts): Command => ({
  words: `${noun} delete <${argument}>`,
  summary: summary ?? `Delete ${article(noun)} ${noun}`,
  options: [yesOption],
  example: `millrace ${noun} delete ${example}\nmillrace ${noun} delete ${example} --yes`,
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const target = await find(api, given)
    await confirm(cli, options, `Delete ${noun} ${target.name}?`)
    await remove(api, target)
    return { text: `Deleted ${target.name}`, json: { ...target, deleted: true } }
  },
})

type ShowParts<T> = Words & {
  find(api: Api, given: string): Promise<T>
  /** Rows of a label and a value; a row without a value is left out. */
  rows(item: T, cli: Cli): readonly (readonly [label: string, value: string | null | undefined])[]
}

export const showCommand = <T>({ noun, argument = noun, example, summary, find, rows }: ShowParts<T>): Command => ({
  words: `${noun} show <${argument}>`,
  summary: summary ?? `Show ${article(noun)} ${noun}`,
  example: `millrace ${noun} show ${example}\nmillrace ${noun} show ${example} --json`,
  run: async (cli, [given = '']) => {
    const item = await find(cli.api(), given)
    return { text: details(rows(item, cli)), json: item }
  },
})

/** The given options as fields of an update. `fields` maps options to fields. */
export const changesOf = <Field extends string>(
  options: Options,
  fields: Readonly<Record<string, Field>>,
): Partial<Record<Field, string>> => {
  const changes: Partial<Record<Field, string>> = {}
  for (const [option, field] of Object.entries(fields)) {
    const value = text(options, option)
    if (value !== undefined) changes[field] = value
  }
  return changes
}

const camelCase = (flag: string): string => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** An update without an option is a mistake. */
export const requireChange = (options: Options, known: readonly CommandOption[]): void => {
  const flags = known.map(([flags]) => /--([a-z-]+)/.exec(flags)?.[1] ?? '')
  const isGiven = (flag: string): boolean => {
    const value = options[camelCase(flag)]
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  }
  if (flags.some(isGiven)) return
  const all = flags.map((flag) => `--${flag}`).join(', ')
  throw usage('Nothing to change', `Pass ${all.replace(/, ([^,]+)$/, ' or $1')}`)
}
