// All templates, in the order of the dialog.
import { dataTemplates } from './data-templates.ts'
import { textTemplates } from './text-templates.ts'

export const templates = [...textTemplates, ...dataTemplates]
