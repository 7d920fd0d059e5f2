import './markdown.css'
import { type Ref, useImperativeHandle, useRef, useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { mentionNamesToIds } from '../../lib/markdown/typed-mentions.ts'
import { restoreDraft } from '../../lib/state/drafts.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { InlineError } from '../feedback/error-message.tsx'
import { Button } from '../form/button.tsx'
import {
  createFileInserter,
  type EndedUpload,
  insertUploads,
  removeUploadPlaceholders,
  type UploadFiles,
  waitForUploads,
} from './file-inserter.ts'
import { MarkdownArea, type MarkdownContext } from './markdown-area.tsx'
import type { MarkdownField } from './markdown-field.ts'
import { MarkdownToolbar } from './markdown-toolbar.tsx'
import { useDraft } from './use-draft.ts'

interface MarkdownEditorProps extends MarkdownContext {
  /** Names the field: "Description", "Comment". */
  label: string
  /** The initial Markdown as the API stores it. */
  source?: string
  /** The storage key of the draft, e.g. `comment.tsk_…`; without it no draft is stored. */
  draftKey?: string
  placeholder?: string
  autoFocus?: boolean
  /** The `data-does` that shortcuts find the field by. */
  does?: string
  submitLabel?: string
  /** Why saving is disabled. */
  reason?: string | undefined
  /** Receives the Markdown as the API stores it; an error shows under the text, which stays. */
  onSave: (source: string) => Promise<void> | void
  onCancel?: () => void
  /** The person has discarded the restored draft and goes on with `source`. */
  onDropDraft?: () => void
  /** Uploads pasted, dropped or chosen files. */
  onFiles?: UploadFiles
  ref?: Ref<MarkdownEditorHandle>
}

export interface MarkdownEditorHandle {
  /** Adds a text as a paragraph at the end. */
  append: (text: string) => void
}

/** A field for Markdown with a toolbar, suggestions, file uploads and a stored draft. */
export function MarkdownEditor(props: MarkdownEditorProps) {
  const { label, source = '', draftKey, people = [], onSave, onCancel, onFiles } = props
  const field = useRef<MarkdownField>(null)
  const draft = useDraft(draftKey, source)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  // Who opens a draft goes on at its end.
  const end = draft.restored ? draft.text.length : 0
  const append = (text: string) => {
    const { current } = field
    if (!current) return
    const { length } = current.readText()
    current.replace({ from: length, to: length, insert: length === 0 ? text : `\n\n${text}` })
    const end = current.readText().length
    if (!current.hasFocus()) current.select(end, end)
  }
  const [uploads] = useState(() => new Set<Promise<EndedUpload>>())
  const isDismissed = useRef(false)
  const latestText = useRef(draft.text)
  latestText.current = draft.text
  const files = createFileInserter({ field, onFiles, onError: setError, uploads })
  useImperativeHandle(props.ref, () => ({ append }))
  const resetText = () => {
    const { length } = field.current?.readText() ?? ''
    field.current?.replace({ from: 0, to: length, insert: source })
  }

  const save = async () => {
    if (busy || props.reason !== undefined) return
    setBusy(true)
    setError(undefined)
    const awaited = await waitForUploads(uploads)
    if (awaited.some(({ hasFailed }) => hasFailed))
      showToast({ text: markdownMessages.uploadFailed, tone: 'trouble' })
    else if (!isDismissed.current) await submit(awaited)
    setBusy(false)
  }
  const submit = async (awaited: readonly EndedUpload[]) => {
    try {
      // The field has what was typed and inserted during the uploads. It may be gone, because the person
      // has gone on to another screen.
      const typed = field.current?.readText() ?? insertUploads(latestText.current, awaited)
      const text = removeUploadPlaceholders(typed)
      await onSave(mentionNamesToIds(text, people, source))
      draft.drop()
    } catch (thrown) {
      setError(thrown)
    }
  }
  /** Escape keeps the text as a draft; only the cancel button discards it. */
  const leave = () => {
    isDismissed.current = true
    onCancel?.()
  }
  const cancel = () => {
    isDismissed.current = true
    const { text } = draft
    const hasChanged = draftKey !== undefined && text !== source
    draft.drop()
    onCancel?.()
    if (hasChanged)
      showToast({ text: markdownMessages.draftDropped, undo: () => restoreDraft(draftKey, text) })
  }
  /** For the buttons as well as for the text: elsewhere the keys complete the task. */
  const handleSubmitKeys = (event: React.KeyboardEvent) => {
    const mod = event.ctrlKey || event.metaKey
    if (!mod || event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    void save()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: adds a shortcut and files to its fields and buttons
    <div className="editor" onKeyDown={handleSubmitKeys} {...files.handlers}>
      <MarkdownToolbar field={field} onAttach={onFiles && files.choose} />
      <MarkdownArea
        field={field}
        label={label}
        does={props.does}
        placeholder={props.placeholder}
        text={draft.text}
        selection={[end, end]}
        focus={props.autoFocus === true}
        people={people}
        tasks={props.tasks}
        references={props.references}
        onAttach={onFiles && files.choose}
        onChange={draft.setText}
        onEscape={onCancel && leave}
      />
      {error !== undefined && <InlineError error={error} />}
      <div className="acts">
        <Button kind="primary" keys="mod+enter" busy={busy} reason={props.reason} onClick={save}>
          {props.submitLabel ?? markdownMessages.save}
        </Button>
        {onCancel && (
          <Button kind="plain" onClick={cancel}>
            {uiMessages.cancel}
          </Button>
        )}
        {draft.restored && (
          <span className="quiet" role="status">
            {markdownMessages.draftRestored}{' '}
            <button
              type="button"
              className="btn plain"
              onClick={() => {
                resetText()
                draft.drop()
                props.onDropDraft?.()
              }}
            >
              {markdownMessages.dropDraft}
            </button>
          </span>
        )}
      </div>
    </div>
  )
}
