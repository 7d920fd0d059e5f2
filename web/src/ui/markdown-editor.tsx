import '../styles/markdown.css'
import { type Ref, useDeferredValue, useId, useImperativeHandle, useRef, useState } from 'react'
import { toast } from '../data/toasts.ts'
import { keepDraft } from '../lib/drafts.ts'
import { continued, type Edit } from '../lib/markdown-edit.ts'
import { type Mentionable, withIds, withNames } from '../lib/mentions.ts'
import { m } from '../messages/ui.ts'
import { Button } from './button.tsx'
import { filesInto } from './editor-files.ts'
import { Markdown, type MarkdownProps } from './markdown.tsx'
import { MarkdownToolbar, toolOf } from './markdown-toolbar.tsx'
import { MentionList, useMentions } from './mention-list.tsx'
import { apply } from './text-edit.ts'
import { TroubleLine } from './trouble.tsx'
import { useDraft } from './use-draft.ts'

/** What is written, with whom and what for. */
export interface EditorProps {
  /** Names the field: "Description", "Comment". */
  label: string
  /** What is edited, as the API has it. */
  source?: string
  /** Where the draft is kept, e.g. `comment.tsk_…`; without it none is. */
  draftKey?: string
  people?: readonly Mentionable[]
  placeholder?: string
  rows?: number
  autoFocus?: boolean
  submitLabel?: string
  /** Why it cannot be sent. */
  reason?: string | undefined
  /** Given the source as the API takes it; a failure is told under the text, which stays. */
  onSave: (source: string) => Promise<void> | void
  onCancel?: () => void
  /** Files that were pasted, dropped or chosen; gives the Markdown that stands for them. */
  onFiles?: (files: File[]) => Promise<string>
  /** How the preview shows people and tasks. */
  preview?: Pick<MarkdownProps, 'nameOf' | 'me' | 'task'>
  ref?: Ref<{ focus: () => void; insert: (text: string) => void }>
}

/** Markdown in a plain text field: toolbar, mentions, files, a preview, and a draft that is not lost. */
export function MarkdownEditor(props: EditorProps) {
  const { label, source = '', draftKey, people = [], onSave, onCancel, onFiles, preview } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const draft = useDraft(draftKey, withNames(source, people))
  const mentions = useMentions(area, people, id)
  const [previews, setPreviews] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const shown = useDeferredValue(draft.text)
  const nameOf = (user_id: string) => people.find((one) => one.id === user_id)?.name
  const edit = (make: Edit | undefined) => area.current && make && apply(area.current, make)
  const insert = (text: string) => {
    if (!area.current) return
    const { selectionStart: from, selectionEnd: to } = area.current
    edit({ from, to, insert: text, select: [from + text.length, from + text.length] })
  }
  const files = filesInto({ area, edit, onFiles, onError: setError })
  useImperativeHandle(props.ref, () => ({ focus: () => area.current?.focus(), insert }))

  const save = async () => {
    if (busy || props.reason !== undefined) return
    setBusy(true)
    setError(undefined)
    try {
      await onSave(withIds(draft.text, people))
      draft.drop()
    } catch (thrown) {
      setError(thrown)
    }
    setBusy(false)
  }
  const cancel = () => {
    const { text } = draft
    const changed = draftKey !== undefined && text !== withNames(source, people)
    draft.drop()
    onCancel?.()
    if (changed) toast({ text: m.draftDropped, undo: () => keepDraft(draftKey, text) })
  }
  const press = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || mentions.press(event)) return
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const mod = event.ctrlKey || event.metaKey
    const tool = mod && !event.altKey && !event.shiftKey ? toolOf(event.key) : undefined
    if (mod && event.key === 'Enter') void save()
    else if (tool) edit(tool.edit(value, selectionStart, selectionEnd))
    else if (event.key === 'Enter' && !event.shiftKey && selectionStart === selectionEnd) {
      const next = continued(value, selectionStart)
      if (!next) return
      edit(next)
    } else if (event.key === 'Escape' && onCancel) {
      // What was written stays as a draft; only its button discards it.
      onCancel()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="editor">
      <MarkdownToolbar
        area={area}
        {...(onFiles && { onFiles: files.take })}
        previews={previews}
        onPreview={() => setPreviews(!previews)}
      />
      <div className="editor-area">
        <textarea
          ref={area}
          className="field"
          aria-label={label}
          rows={props.rows ?? 6}
          placeholder={props.placeholder}
          // biome-ignore lint/a11y/noAutofocus: where it is asked for, the editor was opened to write
          autoFocus={props.autoFocus}
          value={draft.text}
          {...mentions.aria}
          onChange={(event) => {
            draft.setText(event.target.value)
            mentions.look()
          }}
          onKeyDown={press}
          onSelect={mentions.look}
          onBlur={mentions.close}
          {...files.handlers}
        />
        <MentionList {...mentions.list} />
      </div>
      {previews && (
        <section className="editor-preview" aria-label={m.preview}>
          {shown.trim() === '' ? (
            <p className="quiet">{m.emptyPreview}</p>
          ) : (
            <Markdown source={withIds(shown, people)} nameOf={nameOf} {...preview} />
          )}
        </section>
      )}
      {error !== undefined && <TroubleLine error={error} />}
      <div className="acts">
        <Button kind="primary" keys="mod+enter" busy={busy} reason={props.reason} onClick={save}>
          {props.submitLabel ?? m.save}
        </Button>
        {onCancel && (
          <Button kind="plain" onClick={cancel}>
            {m.cancel}
          </Button>
        )}
        {draft.restored && (
          <span className="quiet" role="status">
            {m.draftRestored}{' '}
            <button type="button" className="btn plain" onClick={draft.drop}>
              {m.dropDraft}
            </button>
          </span>
        )}
      </div>
    </div>
  )
}
