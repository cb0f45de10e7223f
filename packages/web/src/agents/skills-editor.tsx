// The skills of an agent: what it can read up before it does what they are about.
import type { AgentSkill } from '@millrace/contract/agents'
import { CodeEditor } from '../ui/code.tsx'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { RowList } from '../ui/row-list.tsx'
import { SkillPicker } from './pickers.tsx'
import { type SkillRow, type Source, skillOf, skillRowOf, sources } from './skills.ts'

type Edit = { row: SkillRow; set: (change: Partial<SkillRow>) => void }

const Written = ({ row, set }: Edit) => (
  <SkillPicker
    label="Skill"
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
      <p className="needed mb-1 font-medium">Instructions of the skill</p>
      <CodeEditor
        label="Instructions of the skill"
        language="markdown"
        minHeight={120}
        value={row.value}
        onChange={(value) => set({ value })}
      />
    </div>
    <CheckField
      label="Always at hand"
      help="They stand in the prompt instead of being read when they are needed"
      checked={row.preload ?? false}
      onChange={(event) => set({ preload: event.target.checked })}
    />
  </>
)

const Row = ({ row, set }: Edit) => (
  <>
    <SelectField
      label="The skill is"
      {...(row.source === 'content' ? { fieldClass: 'sm:col-span-2' } : {})}
      value={row.source}
      onChange={(event) => set({ source: event.target.value as Source, value: '' })}
    >
      {Object.entries(sources).map(([source, words]) => (
        <option key={source} value={source}>
          {words}
        </option>
      ))}
    </SelectField>
    {row.source === 'skill_id' ? <Written row={row} set={set} /> : null}
    {row.source === 'url' ? (
      <TextField
        label="Address of the skill"
        type="url"
        required
        placeholder="https://example.com/skill.md"
        value={row.value}
        onChange={(event) => set({ value: event.target.value })}
      />
    ) : null}
    <TextField
      label="Name of the skill"
      required
      help="What the agent asks for it by"
      value={row.name}
      onChange={(event) => set({ name: event.target.value })}
    />
    <TextField
      label="When it helps"
      help="By this the agent decides whether to read it"
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
    none="It knows what its instructions say; a skill is read when it is needed."
    fresh={{ name: '', source: 'skill_id', value: '' }}
    row={(row, set) => <Row row={row} set={set} />}
  />
)
