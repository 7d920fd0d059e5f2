import './markdown.css'
import { type Ref, useId, useImperativeHandle, useMemo, useRef, useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { continueList } from '../../lib/markdown/markdown-edit.ts'
import type { Mentionable } from '../../lib/markdown/mentions.ts'
import { mentionNamesToIds } from '../../lib/markdown/typed-mentions.ts'
import { restoreDraft } from '../../lib/state/drafts.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { InlineError } from '../feedback/error-message.tsx'
import { Button } from '../form/button.tsx'
import { isApplePlatform } from '../keyboard/use-shortcuts.ts'
import {
  createFileInserter,
  type EndedUpload,
  insertUploads,
  removeUploadPlaceholders,
  type UploadFiles,
  waitForUploads,
} from './file-inserter.ts'
import type { MarkdownField } from './markdown-field.ts'
import { findFormattingTool, MarkdownToolbar } from './markdown-toolbar.tsx'
import { SuggestionList, useSuggestions } from './suggestion-list.tsx'
import {
  suggestBlocks,
  suggestPeople,
  suggestTasks,
  type TaskSearch,
} from './suggestion-sources.ts'
import { useDraft } from './use-draft.ts'
import { WritingField, type WritingFieldProps } from './writing-field.tsx'

export interface MarkdownEditorProps {
  /** Names the field: "Description", "Comment". */
  label: string
  /** The initial Markdown as the API stores it. */
  source?: string
  /** The storage key of the draft, e.g. `comment.tsk_…`; without it no draft is stored. */
  draftKey?: string
  people?: readonly Mentionable[]
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
  /** Finds the tasks that a `#` can refer to. */
  tasks?: TaskSearch
  /** Uploads pasted, dropped or chosen files. */
  onFiles?: UploadFiles
  /** How people in the text are shown. */
  references?: WritingFieldProps['references']
  ref?: Ref<MarkdownEditorHandle>
}

export interface MarkdownEditorHandle {
  /** Adds a text as a paragraph at the end. */
  append: (text: string) => void
}

/** A field for Markdown with a toolbar, suggestions, file uploads and a stored draft. */
export function MarkdownEditor(props: MarkdownEditorProps) {
  const { label, source = '', draftKey, people = [], onSave, onCancel, onFiles } = props
  const id = useId()
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
  const peopleSource = useMemo(() => suggestPeople(people), [people])
  const sources = [
    peopleSource,
    ...(props.tasks ? [suggestTasks(props.tasks)] : []),
    suggestBlocks(onFiles && files.choose),
  ]
  const suggestions = useSuggestions(field, sources, id)
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
  const cancel = () => {
    isDismissed.current = true
    const { text } = draft
    const hasChanged = draftKey !== undefined && text !== source
    draft.drop()
    onCancel?.()
    if (hasChanged)
      showToast({ text: markdownMessages.draftDropped, undo: () => restoreDraft(draftKey, text) })
  }
  /** Before the field itself gets the key, which has meanings of its own for Enter and the arrows. */
  const handleKeyDown = (event: React.KeyboardEvent) => {
    const { current } = field
    if (!current || event.nativeEvent.isComposing || suggestions.handleKeyDown(event)) return
    const text = current.readText()
    const [from, to] = current.readSelection()
    const mod = event.ctrlKey || event.metaKey
    // On a Mac, Ctrl with a letter moves the caret or deletes.
    const isTool = isApplePlatform ? event.metaKey : event.ctrlKey
    const tool =
      isTool && !event.altKey && !event.shiftKey ? findFormattingTool(event.key) : undefined
    if (mod && event.key === 'Enter') return
    if (tool) current.edit(tool.edit(text, from, to))
    else if (event.key === 'Enter' && !event.shiftKey && from === to) {
      const next = continueList(text, from)
      if (!next) return
      current.edit(next)
    } else if (event.key === 'Escape' && onCancel) {
      // Escape keeps the text as a draft; only the cancel button discards it.
      isDismissed.current = true
      onCancel()
    } else return
    event.preventDefault()
    event.stopPropagation()
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
    // biome-ignore lint/a11y/noStaticElementInteractions: only adds a shortcut to its fields and buttons
    <div className="editor" onKeyDown={handleSubmitKeys}>
      <MarkdownToolbar field={field} onAttach={onFiles && files.choose} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: adds keys and files to its field */}
      <div
        className="editor-area"
        onKeyDownCapture={handleKeyDown}
        onBlur={suggestions.close}
        {...files.handlers}
      >
        <WritingField
          ref={field}
          label={label}
          does={props.does}
          placeholder={props.placeholder}
          text={draft.text}
          selection={[end, end]}
          focus={props.autoFocus === true}
          references={props.references ?? {}}
          aria={suggestions.aria}
          onChange={draft.setText}
          onSelect={suggestions.update}
        />
        <SuggestionList {...suggestions.list} />
      </div>
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
