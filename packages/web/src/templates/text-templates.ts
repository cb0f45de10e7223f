// Templates for texts and documents.
import { app, expression, fields, fill, from, longText, type Template, text } from './template.ts'

const report = `# Report

The text has **{{words}} words** in {{lines}} lines.

| Word | Count |
|---|---|{{#frequent}}
| {{word}} | {{count}} |{{/frequent}}
`

export const textTemplates: readonly Template[] = [
  {
    id: 'reading-report',
    title: 'Reading report',
    text: 'Counts the words of a text and writes a report with the most frequent words as a web page.',
    input: fields({ text: longText('Text', 'to be or not to be') }),
    steps: [
      app('count', 'word-count', { text: from('input', 'text') }),
      ...fill('write', report, {
        words: from('count', 'words'),
        lines: from('count', 'lines'),
        frequent: from('count', 'most_frequent'),
      }),
      app('page', 'markdown-to-html', { markdown: from('write', 'text') }),
    ],
    output: { words: ['count', 'words'], html: ['page', 'html'] },
  },
  {
    id: 'compare-texts',
    title: 'Compare two texts',
    text: 'Counts two texts at the same time and names the longer one.',
    input: fields({
      first: longText('First text', 'one two three'),
      second: longText('Second text', 'one two'),
    }),
    steps: [
      app('count_first', 'word-count', { text: from('input', 'first') }),
      app('count_second', 'word-count', { text: from('input', 'second') }),
      expression(
        'compare',
        "input.first > input.second ? 'first' : (input.first < input.second ? 'second' : 'equal')",
        {
          first: from('count_first', 'words'),
          second: from('count_second', 'words'),
        },
      ),
    ],
    output: { longer: ['compare', ''], first: ['count_first', 'words'], second: ['count_second', 'words'] },
  },
  {
    id: 'keywords',
    title: 'Keywords of a text',
    text: 'Finds the words that occur more than once, for tags or an index.',
    input: fields({ text: longText('Text', 'the mill grinds and the mill turns') }),
    steps: [
      app('count', 'word-count', { text: from('input', 'text') }),
      app('select', 'json-transform', {
        data: from('count', 'most_frequent'),
        expression: '[$[count > 1].word]',
      }),
    ],
    output: { keywords: ['select', 'result'] },
  },
  {
    id: 'web-page',
    title: 'Markdown to web page',
    text: 'Turns Markdown into a complete web page that is safe to publish.',
    input: fields({ title: text('Title', 'Release notes'), markdown: longText('Markdown', '# 1.2\n\n* Faster start') }),
    steps: [
      app('page', 'markdown-to-html', {
        markdown: from('input', 'markdown'),
        title: from('input', 'title'),
        document: true,
      }),
    ],
    output: { html: ['page', 'html'] },
  },
  {
    id: 'mail-merge',
    title: 'Mail merge',
    text: 'Writes one letter to each person of a list.',
    input: fields({
      people: {
        type: 'array',
        title: 'People',
        items: { type: 'object', properties: { name: { type: 'string' }, city: { type: 'string' } } },
        default: [
          { name: 'Ada', city: 'London' },
          { name: 'Grace', city: 'New York' },
        ],
      },
    }),
    steps: [
      ...fill('write', '{{#people}}Dear {{name}}, we open a shop in {{city}}.\n{{/people}}', {
        people: from('input', 'people'),
      }),
    ],
    output: { letters: ['write', 'text'] },
  },
  {
    id: 'meeting-minutes',
    title: 'Meeting minutes',
    text: 'Builds minutes as a web page from the participants and the decisions of a meeting.',
    input: fields({
      title: text('Meeting', 'Weekly planning'),
      participants: { type: 'array', title: 'Participants', items: { type: 'string' }, default: ['Ada', 'Grace'] },
      decisions: { type: 'array', title: 'Decisions', items: { type: 'string' }, default: ['Ship on Monday'] },
    }),
    steps: [
      ...fill(
        'write',
        '# {{title}}\n\nPresent: {{#participants}}{{.}} {{/participants}}\n\n## Decisions\n\n{{#decisions}}\n* {{.}}\n{{/decisions}}\n',
        {
          title: from('input', 'title'),
          participants: from('input', 'participants'),
          decisions: from('input', 'decisions'),
        },
      ),
      app('page', 'markdown-to-html', { markdown: from('write', 'text') }),
    ],
    output: { markdown: ['write', 'text'], html: ['page', 'html'] },
  },
]
