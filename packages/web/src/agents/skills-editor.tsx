// The skills of an agent.
import type { AgentSkill } from '@millrace/contract/agents'
import { CodeEditor } from '../ui/code.tsx'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { RowList } from '../ui/row-list.tsx'
import { SkillPicker } from './pickers.tsx'
import { type SkillRow, type Source, skillOf, skillRowOf } from './skills.ts'
import { strings } from './strings.ts'

const words = strings.skills

type Edit = { row: SkillRow; set: (change: Partial<SkillRow>) => void }

const SkillReference = ({ row, set }: Edit) => (
  <SkillPicker
    label={words.skill}
    value={row.value}
    onChoose={(id, skill) =>
      set({
        value: id,
        version_id: '',
        ...(skill && row.name === '' ? { name: skill.name, description: skill.description } : {}),
      })
    }
  />
)

const Content = ({ row, set }: Edit) => (
  <>
    <div className="sm:col-span-2">
      <p className="needed mb-1 font-medium">{words.content}</p>
      <CodeEditor
        label={words.content}
        language="markdown"
        minHeight={120}
        value={row.value}
        onChange={(value) => set({ value })}
      />
    </div>
    <CheckField
      label={words.preload}
      help={words.preloadHelp}
      checked={row.preload ?? false}
      onChange={(event) => set({ preload: event.target.checked })}
    />
  </>
)

const Row = ({ row, set }: Edit) => (
  <>
    <SelectField
      label={words.source}
      {...(row.source === 'content' ? { fieldClass: 'sm:col-span-2' } : {})}
      value={row.source}
      onChange={(event) => set({ source: event.target.value as Source, value: '' })}
    >
      {Object.entries(words.sources).map(([source, label]) => (
        <option key={source} value={source}>
          {label}
        </option>
      ))}
    </SelectField>
    {row.source === 'skill_id' ? <SkillReference row={row} set={set} /> : null}
    {row.source === 'url' ? (
      <TextField
        label={words.url}
        type="url"
        required
        placeholder="https://example.com/skill.md"
        value={row.value}
        onChange={(event) => set({ value: event.target.value })}
      />
    ) : null}
    <TextField
      label={words.name}
      required
      help={words.nameHelp}
      value={row.name}
      onChange={(event) => set({ name: event.target.value })}
    />
    <TextField
      label={words.description}
      help={words.descriptionHelp}
      value={row.description ?? ''}
      onChange={(event) => set({ description: event.target.value })}
    />
    {row.source === 'content' ? <Content row={row} set={set} /> : null}
  </>
)

type SkillsEditorProps = { skills: readonly AgentSkill[]; onChange: (skills: AgentSkill[]) => void }

export const SkillsEditor = ({ skills, onChange }: SkillsEditorProps) => (
  <RowList
    rows={skills.map(skillRowOf)}
    onChange={(rows) => onChange(rows.map(skillOf))}
    noun="skill"
    none={words.none}
    fresh={{ name: '', source: 'skill_id', value: '' }}
    row={(row, set) => <Row row={row} set={set} />}
  />
)
