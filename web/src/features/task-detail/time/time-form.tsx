import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { showToast } from '../../../data/app/toasts.ts'
import type { TimeEntry, TimeEntryPatch } from '../../../data/resources/time-entries.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay, formatGutterDay, today } from '../../../lib/dates/plain-date.ts'
import { readDraft, restoreDraft } from '../../../lib/state/drafts.ts'
import { markdownMessages } from '../../../messages/app/markdown.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { useDraft } from '../../../ui/markdown/use-draft.ts'
import { Icon } from '../../../ui/marks/icon.tsx'
import { clearDraftBase } from '../draft-base.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { type ParsedTimeEntry, parseTimeEntry } from './parse-time-entry.ts'
import { editTimeWithUndo, logTimeWithUndo } from './time-with-undo.ts'

/** The limits of an entry (docs/spec/api.md#time-entry). */
const MAX_SECONDS = 86_400
const MAX_NOTE_LENGTH = 2_000

/** A field to log time as text: "1h 30m yesterday call with Mei"; folded into a button without a draft. */
export function LogTimeForm({ folded }: { folded: boolean }) {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const draftKey = `time.${task.id}`
  const [open, setOpen] = useState<'draft' | 'pressed' | undefined>(() =>
    readDraft(draftKey) === undefined ? undefined : 'draft',
  )
  if (folded && !open) {
    return (
      <div className="line">
        <span className="gut" />
        <div className="acts log-time">
          <Button kind="plain" icon="plus" reason={write} onClick={() => setOpen('pressed')}>
            {taskDetailMessages.logTime}
          </Button>
        </div>
      </div>
    )
  }
  const save = ({ seconds, day, note }: ParsedTimeEntry, billable: boolean, text: string) => {
    const label = taskDetailMessages.timeLogged(formatDuration(seconds), formatDay(day))
    const entry = { duration_seconds: seconds, spent_on: day, note, billable }
    logTimeWithUndo(task.id, entry, text, label)
  }
  return (
    <TimeForm
      label={taskDetailMessages.logTime}
      value=""
      billable={false}
      reason={write}
      onSave={save}
      draftKey={draftKey}
      focus={open === 'pressed'}
    />
  )
}

/** Where the text of an entry that is being edited is kept. */
export const getTimeDraftKey = ({ id }: TimeEntry): string => `time-edit.${id}`

/**
 * A field to edit an existing time entry as text, from how it was when editing began; saves only what
 * the person has changed.
 */
export function EditTimeForm({ base, onDone }: { base: TimeEntry; onDone: () => void }) {
  const [initial] = useState(() => toEditableEntry(base))
  const save = ({ seconds, day, note }: ParsedTimeEntry, billable: boolean, text: string) => {
    const { parsed } = initial
    const patch: TimeEntryPatch = {
      ...(seconds !== parsed?.seconds && { duration_seconds: seconds }),
      ...(day !== parsed?.day && { spent_on: day }),
      ...(note !== parsed?.note && { note }),
      ...(billable !== initial.billable && { billable }),
    }
    if (Object.keys(patch).length > 0)
      editTimeWithUndo(base, patch, { before: initial.text, after: text })
    clearDraftBase(base.id)
    onDone()
  }
  return (
    <li>
      <TimeForm
        label={taskDetailMessages.editEntry(initial.text)}
        value={initial.text}
        billable={initial.billable}
        draftKey={getTimeDraftKey(base)}
        focus
        onSave={save}
        onCancel={onDone}
      />
    </li>
  )
}

/** An entry as the form opens, with what its text means: without seconds and the lines of the note. */
function toEditableEntry({ duration_seconds, spent_on, note, billable }: TimeEntry) {
  // A text field would remove line breaks and join the words beside them.
  const line = (note ?? '').replace(/\s+/g, ' ')
  const text = `${formatDuration(duration_seconds ?? 0)} ${spent_on} ${line}`.trim()
  return { text, billable, parsed: parseTimeEntry(text, today()) }
}

function findProblem(typed: ParsedTimeEntry | undefined): string | undefined {
  if (!typed) return taskDetailMessages.notTime
  if (typed.seconds > MAX_SECONDS) return taskDetailMessages.tooMuchTime
  return [...(typed.note ?? '')].length > MAX_NOTE_LENGTH ? taskDetailMessages.longNote : undefined
}

interface TimeFormProps {
  label: string
  value: string
  billable: boolean
  reason?: string | undefined
  /** Where the text is kept until it is saved or discarded. */
  draftKey: string
  /** Whether the person has opened it to write. */
  focus: boolean
  onSave: (typed: ParsedTimeEntry, billable: boolean, text: string) => void
  /** Closes the form of an existing entry; the one to log time stays. */
  onCancel?: () => void
}

function TimeForm({
  label,
  value,
  billable,
  reason,
  draftKey,
  focus,
  onSave,
  onCancel,
}: TimeFormProps) {
  const { text, setText, drop } = useDraft(draftKey, value)
  const [isBillable, setBillable] = useState(billable)
  const [errorText, setErrorText] = useState<string>()
  const id = useId()
  const typed = parseTimeEntry(text, today())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason !== undefined) return
    const problem = findProblem(typed)
    setErrorText(problem)
    if (!typed || problem) return
    onSave(typed, isBillable, text)
    drop()
  }
  const cancel = () => {
    drop()
    onCancel?.()
    if (text !== value)
      showToast({ text: markdownMessages.draftDropped, undo: () => restoreDraft(draftKey, text) })
  }
  // Escape keeps the text as a draft; only the cancel button discards it.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !onCancel) return
    event.stopPropagation()
    onCancel()
  }
  return (
    <form className="line time-form" onSubmit={submit} onKeyDown={onKeyDown} aria-label={label}>
      <span className="gut">{typed && formatGutterDay(typed.day)}</span>
      <div>
        <input
          className="field"
          data-does={onCancel ? undefined : 'log-time'}
          aria-label={label}
          aria-describedby={id}
          aria-invalid={errorText !== undefined || undefined}
          placeholder={taskDetailMessages.timeHint}
          // biome-ignore lint/a11y/noAutofocus: the user started editing by a button
          autoFocus={focus}
          disabled={reason !== undefined}
          title={reason}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setErrorText(undefined)
          }}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={isBillable}
            disabled={reason !== undefined}
            onChange={({ target }) => setBillable(target.checked)}
          />
          {taskDetailMessages.billable}
        </label>
        <Button type="submit" reason={reason}>
          {onCancel ? taskDetailMessages.save : taskDetailMessages.logTime}
        </Button>
        {onCancel && (
          <Button kind="plain" onClick={cancel}>
            {taskDetailMessages.cancel}
          </Button>
        )}
        <TimeError id={id} text={errorText} />
      </div>
    </form>
  )
}

const TimeError = ({ id, text }: { id: string; text: ReactNode }) => (
  <p id={id} className={text ? 'error' : 'sr'} role={text ? 'alert' : undefined}>
    {text && <Icon name="warning" />}
    <span>{text ?? taskDetailMessages.notTime}</span>
  </p>
)
