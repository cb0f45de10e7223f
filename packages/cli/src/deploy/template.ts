// The files of a new app: short, and ready to deploy.
import { slugOf } from '@millrace/contract/refs'

export const languages = ['node', 'python'] as const
export type Language = (typeof languages)[number]

/** Turns the name of a folder into a name for an app; `app` if no character is usable. */
export const appName = (text: string): string => slugOf(text) || 'app'

const manifest = (name: string, kernel: string): string => `name: ${name}
title: ${name}
description: Greets a person by name.
category: other
kernel: ${kernel}
default_function: run
functions:
  - name: run
    description: Greets somebody
`

const nodeCode = `// Inputs and outputs are JSON Schemas (or zod schemas); a method becomes a function of the app.
export const RunInput = {
  type: 'object',
  properties: { name: { type: 'string', description: 'Whom to greet' } },
  required: ['name'],
}
export const RunOutput = { type: 'object', properties: { greeting: { type: 'string' } }, required: ['greeting'] }

export class App {
  async run({ name }) {
    console.log(\`greeting \${name}\`)
    return { greeting: \`Hello, \${name}!\` }
  }
}
`

const pythonCode = `"""Inputs and outputs are JSON Schemas (or pydantic models); a method becomes a function of the app."""


class Input:
    json_schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Whom to greet"}},
        "required": ["name"],
    }

    def __init__(self, name):
        self.name = name


class Output:
    json_schema = {
        "type": "object",
        "properties": {"greeting": {"type": "string"}},
        "required": ["greeting"],
    }


class App:
    async def run(self, input: Input) -> Output:
        """Greets somebody."""
        print(f"greeting {input.name}")
        return {"greeting": f"Hello, {input.name}!"}
`

export const templateFiles = (name: string, language: Language): Record<string, string> =>
  language === 'node'
    ? {
        'inf.yml': manifest(name, 'node-22'),
        'inference.js': nodeCode,
        'package.json': `${JSON.stringify({ name, version: '1.0.0', private: true, type: 'module' }, null, 2)}\n`,
      }
    : { 'inf.yml': manifest(name, 'python-3.11'), 'inference.py': pythonCode, 'requirements.txt': '' }
