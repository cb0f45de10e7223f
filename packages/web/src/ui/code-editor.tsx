// CodeMirror as a React input. Loaded when first shown.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, placeholder as placeholderText } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef, useState } from 'react'
import { classes } from './classes.ts'
import { cel, markdown } from './languages.ts'

const highlight = HighlightStyle.define([
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool], color: 'var(--accent)' },
  { tag: tags.null, color: 'var(--faint)' },
  { tag: tags.propertyName, color: 'var(--ink)' },
  { tag: [tags.keyword, tags.list, tags.contentSeparator], color: 'var(--warn)' },
  { tag: [tags.operatorKeyword, tags.operator, tags.quote], color: 'var(--soft)' },
  { tag: tags.comment, color: 'var(--faint)' },
  { tag: tags.heading, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, color: 'var(--accent)' },
  { tag: tags.monospace, color: 'var(--ok)' },
])

const languages = {
  json: () => json(),
  cel: () => StreamLanguage.define(cel),
  markdown: () => StreamLanguage.define(markdown),
  text: () => [],
} satisfies Record<string, () => Extension>

const look = EditorView.theme({
  '&': { fontSize: '12px', backgroundColor: 'var(--surface)', color: 'var(--ink)', borderRadius: '6px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': { fontFamily: 'var(--font-mono)', padding: '8px', caretColor: 'var(--ink)' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
})

/** Marks a change that comes from `value` and not from the person, who is the only one that `onChange` reports. */
const fromValue = Annotation.define<true>()

export type CodeEditorProps = {
  value: string
  onChange?: (text: string) => void
  label: string
  language?: keyof typeof languages
  placeholder?: string
  minHeight?: number
  isInvalid?: boolean
}

const attributes = (label: string, isInvalid: boolean): Extension =>
  EditorView.contentAttributes.of({ 'aria-label': label, ...(isInvalid ? { 'aria-invalid': 'true' } : {}) })

const CodeEditor = ({
  value,
  onChange,
  label,
  language = 'json',
  placeholder = '',
  minHeight = 64,
  isInvalid = false,
}: CodeEditorProps) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const changed = useRef(onChange)
  changed.current = onChange
  const [labelled] = useState(() => new Compartment())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once; the effects below pass later values to it
  useEffect(() => {
    if (!host.current) return
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          bracketMatching(),
          languages[language](),
          syntaxHighlighting(highlight),
          look,
          EditorView.lineWrapping,
          labelled.of(attributes(label, isInvalid)),
          placeholderText(placeholder),
          EditorState.readOnly.of(onChange === undefined),
          EditorView.updateListener.of((update) => {
            const isTyped = update.transactions.some((one) => one.docChanged && !one.annotation(fromValue))
            if (isTyped) changed.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    const changes = { from: 0, to: editor.state.doc.length, insert: value }
    editor.dispatch({ changes, annotations: fromValue.of(true) })
  }, [value])
  useEffect(
    () => view.current?.dispatch({ effects: labelled.reconfigure(attributes(label, isInvalid)) }),
    [labelled, label, isInvalid],
  )
  return (
    <div
      ref={host}
      className={classes('overflow-auto rounded-md border bg-surface', isInvalid ? 'border-bad' : 'border-line-strong')}
      style={{ minHeight }}
    />
  )
}

export default CodeEditor
