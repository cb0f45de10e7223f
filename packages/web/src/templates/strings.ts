// Texts of the dialog of templates. Titles and sentences of the templates are in their definitions.

export const strings = {
  open: 'Templates',
  title: 'Start with a template',
  intro: 'Each template is a flow of included apps. It runs without keys, and its example input is filled in.',
  use: (title: string) => `Use template ${title}`,
  uses: (apps: string) => `Uses ${apps}`,
  usesNone: 'Uses no apps',
} as const
