// Templates for data, checks and messages.
import { app, expression, fields, fill, from, longText, type Step, type Template, text, whole } from './template.ts'

const lines = {
  type: 'array',
  title: 'Items',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, price: { type: 'number' }, quantity: { type: 'integer' } },
  },
  default: [
    { name: 'Flour', price: 2.5, quantity: 4 },
    { name: 'Bran', price: 1, quantity: 3 },
  ],
}

const gate = (id: string, code: string, input: Step['input']): Step => ({
  type: 'gate',
  id,
  data: { utility: { expression: code } },
  input,
})

export const dataTemplates: readonly Template[] = [
  {
    id: 'invoice',
    title: 'Invoice',
    text: 'Adds up the items of an order and writes the invoice.',
    input: fields({ customer: text('Customer', 'Mill & Sons'), items: lines }),
    steps: [
      app('total', 'json-transform', { data: from('input', 'items'), expression: '$sum($.(price * quantity))' }),
      ...fill(
        'write',
        'Invoice for {{customer}}\n\n{{#items}}\n{{quantity}} × {{name}} at {{price}}\n{{/items}}\n\nTotal: {{total}}\n',
        {
          customer: from('input', 'customer'),
          items: from('input', 'items'),
          total: from('total', 'result'),
        },
      ),
    ],
    output: { total: ['total', 'result'], invoice: ['write', 'text'] },
  },
  {
    id: 'csv-to-json',
    title: 'CSV to JSON',
    text: 'Reads a table with a header line and returns its rows as objects.',
    input: fields({ csv: longText('CSV', 'name,city\nAda,London\nGrace,New York') }),
    steps: [
      app('read', 'json-transform', {
        data: from('input', 'csv'),
        expression:
          '($rows := $split($, "\\n")[$ != ""]; $names := $split($rows[0], ","); $map($rows[[1..99999]], function($row) { $merge($map($split($row, ","), function($cell, $at) { { $names[$at]: $cell } })) }))',
      }),
    ],
    output: { rows: ['read', 'result'] },
  },
  {
    id: 'large-orders',
    title: 'Large orders only',
    text: 'Writes a message for orders above a limit and does nothing for the others.',
    input: fields({
      customer: text('Customer', 'Mill & Sons'),
      amount: { type: 'number', title: 'Amount', default: 1500 },
      limit: { type: 'number', title: 'Limit', default: 1000 },
    }),
    steps: [
      gate('is_large', 'double(input.amount) > double(input.limit)', {
        amount: from('input', 'amount'),
        limit: from('input', 'limit'),
        customer: from('input', 'customer'),
      }),
      ...fill('write', 'Order of {{customer}} over {{amount}}', {
        customer: from('is_large', 'customer'),
        amount: from('is_large', 'amount'),
      }),
    ],
    output: { message: ['write', 'text'] },
  },
  {
    id: 'github-issue',
    title: 'Message for a GitHub issue',
    text: 'Turns the webhook of a GitHub issue into a message for a chat. Start it with a webhook trigger.',
    input: fields({
      action: text('Action', 'opened'),
      issue: {
        type: 'object',
        title: 'Issue',
        default: {
          title: 'The mill is dry',
          html_url: 'https://github.com/mill/mill/issues/7',
          labels: [{ name: 'bug' }],
        },
      },
    }),
    steps: [
      app('labels', 'json-transform', { data: from('input', 'issue'), expression: '$join(labels.name, ", ")' }),
      ...fill('write', 'Issue {{action}}: {{issue.title}} ({{labels}}) {{issue.html_url}}', {
        action: from('input', 'action'),
        issue: from('input', 'issue'),
        labels: from('labels', 'result'),
      }),
    ],
    output: { message: ['write', 'text'] },
  },
  {
    id: 'check-website',
    title: 'Check a website',
    text: 'Requests a page and reports whether it answers. Start it with a schedule.',
    input: fields({ url: text('URL', 'https://example.com') }),
    steps: [
      app('request', 'http-request', { url: from('input', 'url') }),
      expression('verdict', "input.ok ? 'up' : 'down'", { ok: from('request', 'ok') }),
    ],
    output: { verdict: ['verdict', ''], status: ['request', 'status'] },
  },
  {
    id: 'pick-winner',
    title: 'Pick a winner',
    text: 'Draws one name of a list at random.',
    input: fields({
      names: { type: 'array', title: 'Names', items: { type: 'string' }, default: ['Ada', 'Grace', 'Joan'] },
    }),
    steps: [
      {
        type: 'selector',
        id: 'draw',
        data: { selector_config: { field: 'names', mode: 'random' } },
        input: { names: from('input', 'names') },
      },
      ...fill('write', 'The winner is {{name}}', { name: whole('draw') }),
    ],
    output: { message: ['write', 'text'] },
  },
]
