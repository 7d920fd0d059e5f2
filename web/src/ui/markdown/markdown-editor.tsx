import './markdown.css'
import {
  type Ref,
  useDeferredValue,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { continueList, type MarkdownEdit } from '../../lib/markdown/markdown-edit.ts'
import {
  type Mentionable,
  mentionIdsToNames,
  mentionNamesToIds,
} from '../../lib/markdown/mentions.ts'
import { saveDraft } from '../../lib/state/drafts.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { InlineError } from '../feedback/error-message.tsx'
import { Button } from '../form/button.tsx'
import { isApplePlatform } from '../keyboard/use-shortcuts.ts'
import { applyTextEdit, replaceText } from './apply-text-edit.ts'
import {
  createFileInserter,
  type EndedUpload,
  insertUploads,
  removeUploadPlaceholders,
  type UploadFiles,
  waitForUploads,
} from './file-inserter.ts'
import { Markdown, type MarkdownProps } from './markdown.tsx'
import { findFormattingTool, MarkdownToolbar } from './markdown-toolbar.tsx'
import { MentionList, useMentions } from './mention-list.tsx'
import { useDraft } from './use-draft.ts'

export interface MarkdownEditorProps {
  /** Names the field: "Description", "Comment". */
  label: string
  /** The initial Markdown as the API stores it. */
  source?: string
  /** The storage key of the draft, e.g. `comment.tsk_…`; without it no draft is stored. */
  draftKey?: string
  people?: readonly Mentionable[]
  placeholder?: string
  rows?: number
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
  /** How the preview resolves mentions and task ids. */
  preview?: Pick<MarkdownProps, 'nameOf' | 'me' | 'task'>
  ref?: Ref<MarkdownEditorHandle>
}

export interface MarkdownEditorHandle {
  /** Adds a text as a paragraph at the end. */
  append: (text: string) => void
}

/** A Markdown text field with toolbar, mentions, file uploads, preview and a stored draft. */
export function MarkdownEditor(props: MarkdownEditorProps) {
  const { label, source = '', draftKey, people = [], onSave, onCancel, onFiles, preview } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const draft = useDraft(draftKey, mentionIdsToNames(source, people))
  const mentions = useMentions(area, people, id)
  const [isPreviewOpen, setPreviewOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const previewText = useDeferredValue(draft.text)
  const nameOf = (user_id: string) => people.find((one) => one.id === user_id)?.name
  const edit = (change: MarkdownEdit | undefined) =>
    area.current && change && applyTextEdit(area.current, change)
  const append = (text: string) => {
    if (!area.current) return
    const { length } = area.current.value
    const isFocused = document.activeElement === area.current
    const insert = length === 0 ? text : `\n\n${text}`
    replaceText(area.current, { from: length, to: length, insert })
    if (!isFocused) moveCaretToEnd(area.current)
  }
  // Who opens a draft goes on at its end.
  useLayoutEffect(() => {
    if (draft.restored && area.current) moveCaretToEnd(area.current)
  }, [draft.restored])
  const [uploads] = useState(() => new Set<Promise<EndedUpload>>())
  const isDismissed = useRef(false)
  const latestText = useRef(draft.text)
  latestText.current = draft.text
  const files = createFileInserter({ area, edit, onFiles, onError: setError, uploads })
  useImperativeHandle(props.ref, () => ({ append }))

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
      const typed = area.current?.value ?? insertUploads(latestText.current, awaited)
      const text = removeUploadPlaceholders(typed)
      await onSave(mentionNamesToIds(text, people))
      draft.drop()
    } catch (thrown) {
      setError(thrown)
    }
  }
  const cancel = () => {
    isDismissed.current = true
    const { text } = draft
    const hasChanged = draftKey !== undefined && text !== mentionIdsToNames(source, people)
    draft.drop()
    onCancel?.()
    if (hasChanged)
      showToast({ text: markdownMessages.draftDropped, undo: () => saveDraft(draftKey, text) })
  }
  const handleKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || mentions.handleKeyDown(event)) return
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const mod = event.ctrlKey || event.metaKey
    // On a Mac, Ctrl with a letter moves the caret or deletes.
    const isTool = isApplePlatform ? event.metaKey : event.ctrlKey
    const tool =
      isTool && !event.altKey && !event.shiftKey ? findFormattingTool(event.key) : undefined
    if (mod && event.key === 'Enter') return
    if (tool) edit(tool.edit(value, selectionStart, selectionEnd))
    else if (event.key === 'Enter' && !event.shiftKey && selectionStart === selectionEnd) {
      const next = continueList(value, selectionStart)
      if (!next) return
      edit(next)
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
    if (event.nativeEvent.isComposing || !mod || event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    void save()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only adds a shortcut to its fields and buttons
    <div className="editor" onKeyDown={handleSubmitKeys}>
      <MarkdownToolbar
        area={area}
        {...(onFiles && { onFiles: files.take })}
        isPreviewOpen={isPreviewOpen}
        onPreview={() => setPreviewOpen(!isPreviewOpen)}
      />
      <div className="editor-area">
        <textarea
          ref={area}
          className="field"
          data-does={props.does}
          aria-label={label}
          rows={props.rows ?? 6}
          placeholder={props.placeholder}
          // biome-ignore lint/a11y/noAutofocus: where it is asked for, the editor was opened to write
          autoFocus={props.autoFocus}
          value={draft.text}
          {...mentions.aria}
          onChange={(event) => {
            draft.setText(event.target.value)
            mentions.update()
          }}
          onKeyDown={handleKeyDown}
          onSelect={mentions.update}
          onBlur={mentions.close}
          {...files.handlers}
        />
        <MentionList {...mentions.list} />
      </div>
      {isPreviewOpen && (
        <section className="editor-preview" aria-label={markdownMessages.preview}>
          {previewText.trim() === '' ? (
            <p className="quiet">{markdownMessages.emptyPreview}</p>
          ) : (
            <Markdown
              source={mentionNamesToIds(previewText, people)}
              nameOf={nameOf}
              {...preview}
            />
          )}
        </section>
      )}
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

const moveCaretToEnd = (area: HTMLTextAreaElement): void =>
  area.setSelectionRange(area.value.length, area.value.length)
