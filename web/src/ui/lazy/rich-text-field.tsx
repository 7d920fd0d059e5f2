import { history, historyKeymap, isolateHistory, standardKeymap } from '@codemirror/commands'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView, keymap, placeholder } from '@codemirror/view'
import { useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { MarkdownField } from '../markdown/markdown-field.ts'
import type { WritingFieldProps } from '../markdown/writing-field.tsx'
import { createLivePreview } from './live-preview.ts'
import { pasteMarkdown } from './paste-markdown.ts'

/** The attributes that depend on what is suggested. */
const attributes = new Compartment()

/**
 * The field of the Markdown editor: its source in a contenteditable element. It edits the source
 * itself, so what nobody touches keeps its bytes.
 */
export function RichTextField(props: WritingFieldProps) {
  const { label, does, aria, ref } = props
  const container = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [view] = useState(() => createView(props, () => latest.current))
  useLayoutEffect(() => {
    container.current?.append(view.dom)
    if (latest.current.focus) view.focus()
    return () => view.destroy()
  }, [view])
  useLayoutEffect(() => {
    const content = EditorView.contentAttributes.of({
      ...WRITING_ATTRIBUTES,
      ...aria,
      'aria-label': label,
      ...(does !== undefined && { 'data-does': does }),
    })
    view.dispatch({ effects: attributes.reconfigure(content) })
  }, [view, label, does, aria])
  useImperativeHandle(ref, () => createRichTextField(view), [view])
  return <div ref={container} />
}

/** Text is not code: keyboards and browsers help to write it. */
const WRITING_ATTRIBUTES = {
  spellcheck: 'true',
  autocorrect: 'on',
  autocapitalize: 'sentences',
  writingsuggestions: 'true',
}

function createView(
  { text, selection: [anchor, head], placeholder: hint }: WritingFieldProps,
  getProps: () => WritingFieldProps,
): EditorView {
  const extensions = [
    // Other line ends would be made into this one.
    EditorState.lineSeparator.of('\n'),
    history(),
    keymap.of([...standardKeymap, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    EditorView.cspNonce.of(readNonce()),
    EditorView.editorAttributes.of({ class: 'field' }),
    hint === undefined ? [] : placeholder(hint),
    attributes.of([]),
    theme,
    createLivePreview(() => getProps().references),
    pasteMarkdown,
    EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
      const { onChange, onSelect } = getProps()
      if (docChanged) onChange(state.sliceDoc())
      if (docChanged || selectionSet) onSelect()
    }),
  ]
  return new EditorView({
    state: EditorState.create({ doc: text, selection: { anchor, head }, extensions }),
  })
}

/** In a style element of the page, which loads with the field. */
const theme = EditorView.theme({
  '&': {
    minBlockSize: 'var(--writing-min)',
    maxBlockSize: 'var(--writing-max)',
    padding: '0',
    cursor: 'text',
  },
  '&.cm-focused': { outline: 'var(--focus)', outlineOffset: '-1px', borderColor: 'var(--accent)' },
  '.cm-scroller': { font: 'inherit', lineHeight: 'inherit', padding: 'var(--s-5) var(--s-8)' },
  '.cm-content': { padding: '0', caretColor: 'currentcolor' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
  '.cm-heading': { font: '600 var(--t-14)', paddingBlockStart: 'var(--s-4)' },
  '.cm-heading-1': { font: 'var(--h-20)' },
  '.cm-strong': { fontWeight: '600' },
  '.cm-emphasis': { fontStyle: 'italic' },
  '.cm-delete': { textDecoration: 'line-through' },
  '.cm-link': { color: 'var(--indigo)' },
  '.cm-inline-code, .cm-code-block, .cm-table-source, .cm-html': {
    fontFamily: 'var(--mono)',
    fontSize: '.9em',
  },
  '.cm-inline-code': {
    padding: '1px var(--s-4)',
    background: 'var(--hover)',
    borderRadius: 'var(--r-2)',
  },
  '.cm-code-block': { paddingInline: 'var(--s-10)', background: 'var(--hover)' },
  '.cm-html, .cm-marker': { color: 'var(--ink-3)' },
  '.cm-done': { color: 'var(--ink-3)', textDecoration: 'line-through' },
  '.cm-quote': {
    paddingInlineStart: 'var(--s-12)',
    borderInlineStart: 'var(--thick) solid var(--margin)',
    color: 'var(--ink-2)',
  },
  '.cm-rule': { borderBlockEnd: '1px solid var(--rule)' },
  '.cm-table': { font: 'inherit', paddingBlock: 'var(--s-4)', maxInlineSize: 'none' },
  '.cm-picture': {
    maxInlineSize: '100%',
    maxBlockSize: '24rem',
    border: '1px solid var(--rule)',
    verticalAlign: 'top',
  },
  'input[type="checkbox"]': {
    display: 'inline-grid',
    textIndent: '0',
    verticalAlign: 'middle',
    marginBlock: 'calc(-1 * var(--s-2)) 0',
  },
})

/** The nonce of this page, by which the policy allows the styles of the field. */
const readNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

function createRichTextField(view: EditorView): MarkdownField {
  return {
    readText: () => view.state.sliceDoc(),
    readSelection: () => [view.state.selection.main.from, view.state.selection.main.to],
    hasFocus: () => view.hasFocus,
    focus: () => view.focus(),
    select: (anchor, head) => view.dispatch({ selection: { anchor, head }, scrollIntoView: true }),
    edit({ from, to, insert, select: [anchor, head] }) {
      view.focus()
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor, head },
        scrollIntoView: true,
        userEvent: 'input',
        // One step to undo, apart from what is typed around it.
        annotations: isolateHistory.of('full'),
      })
    },
    replace: (changes) => view.dispatch({ changes }),
    readCaretLine() {
      const caret = view.coordsAtPos(view.state.selection.main.head)
      return caret && { top: caret.top, bottom: caret.bottom }
    },
  }
}
