import {
  type ClipboardEvent,
  type KeyboardEvent,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react'
import { deleteDraft, readDraft, saveDraft } from '../../../lib/state/drafts.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import { patchIntoGroup } from '../grouping/task-groups.ts'
import { type BufferedInputProps, joinLines } from '../lazy/lazy-field.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import { ProjectViewContext } from '../project-view.ts'
import { confirmPastedLines } from './confirm-pasted-lines.tsx'
import { createTypedTask, notifyIfFilteredOut } from './create-typed-task.ts'
import {
  mergeChips,
  parseQuickAdd,
  type QuickAddChip,
  type QuickAddVocabulary,
} from './parse-quick-add.ts'
import { parsePastedTasks } from './pasted-tasks.ts'
import { type NewTaskTarget, useQuickAdd } from './quick-add-context.ts'
import { TypedChips } from './typed-chips.tsx'
import { EMPTY_LINE, type TypedLine, useTypedLine } from './use-typed-line.ts'

interface QuickAddFieldProps extends BufferedInputProps {
  label: string
  place: NewTaskTarget
}

/**
 * The input for new tasks: Enter creates one and keeps the input open, Esc discards what is typed and
 * closes it. Until then the text is a draft of the project, wherever the input is shown next.
 */
export function QuickAddField({ label, place, bufferedLines, bufferedPaste }: QuickAddFieldProps) {
  const context = useProjectPageContext()
  const view = useContext(ProjectViewContext)
  const { end, place: requested } = useQuickAdd()
  const input = useRef<HTMLInputElement>(null)
  // The field that this one replaces was shown, and the person may have scrolled away from it since.
  const mayBeScrolledAway = useRef(bufferedLines.length > 0)
  // Also when it is asked for again: it may be out of sight, and keys would then change tasks.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request is another object
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: mayBeScrolledAway.current })
    mayBeScrolledAway.current = false
  }, [requested])
  const vocabulary: QuickAddVocabulary = {
    tags: context.tags,
    members: context.people,
    me: context.me,
    today: context.filterContext.today,
    canCreateTags: context.boot.session.user.role !== 'guest',
  }
  const target = {
    project: context.project,
    me: context.me,
    fields: patchIntoGroup(view, place.group, context.filterContext.today),
    parent: place.parent,
  }
  const draftKey = `task.${context.project.id}`
  const typed = useTypedLine(vocabulary, () => {
    const { text, chips, textWords } = readTaskDraft(draftKey)
    // The buffered text is there from the first render, so that further typing continues it.
    const buffered = parseQuickAdd(bufferedLines.at(-1) ?? '', vocabulary)
    return {
      text: [text, buffered.text].filter(Boolean).join(' '),
      chips: mergeChips(chips, buffered.chips),
      textWords,
    }
  })
  const { line, setLine } = typed
  const isEmpty = line.text === '' && line.chips.length === 0
  // Not after a delay: the field of another group may be shown instead at any moment.
  useLayoutEffect(() => {
    if (isEmpty) deleteDraft(draftKey)
    else saveDraft(draftKey, JSON.stringify(line))
  }, [draftKey, line, isEmpty])
  const cancel = () => {
    deleteDraft(draftKey)
    end()
  }
  const submit = (text: string, more: readonly QuickAddChip[]) => {
    const { title, chips } = typed.finish(text, more)
    if (title === '') return false
    void notifyIfFilteredOut(context, view, createTypedTask(target, title, chips))
    return true
  }
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') {
      if (submit(line.text, line.chips)) typed.clear()
    } else if (event.key === 'Escape') cancel()
    else if (!typed.handleBackspace(event)) return
    event.preventDefault()
    event.stopPropagation()
  }
  /** Whether a dialog has the focus, after which this field may get a title. */
  const isAsking = useRef(false)
  const confirmPaste = (pasted: string): boolean => {
    const lines = parsePastedTasks(pasted, { ...vocabulary, statuses: context.project.statuses })
    const insertAsTitle = () =>
      setLine({ ...line, text: `${line.text}${lines.map(({ text }) => text).join(' ')}` })
    isAsking.current = lines.length > 1
    if (isAsking.current) confirmPastedLines(target, lines, insertAsTitle)
    return isAsking.current
  }
  const handlePaste = (event: ClipboardEvent) => {
    if (confirmPaste(event.clipboardData.getData('text'))) event.preventDefault()
  }
  // What was entered and pasted before this field was loaded takes effect now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on mount
  useEffect(() => {
    for (const text of bufferedLines.slice(0, -1)) submit(text, [])
    if (bufferedPaste === '' || confirmPaste(bufferedPaste)) return
    typed.change(`${line.text}${joinLines(bufferedPaste)}`)
  }, [])
  return (
    <>
      <input
        ref={input}
        aria-label={label}
        placeholder={projectViewMessages.newHint}
        value={line.text}
        autoComplete="off"
        onChange={(event) => typed.change(event.target.value)}
        onKeyDown={handleKeyDown}
        onPaste={handlePaste}
        onFocus={() => {
          isAsking.current = false
        }}
        onBlur={() => !isAsking.current && isEmpty && end()}
      />
      <TypedChips chips={typed.chips} onRemove={typed.removeChip} />
      {line.text !== '' && <kbd>{quickAddMessages.enter}</kbd>}
    </>
  )
}

/** The line that was begun last in a project. */
function readTaskDraft(key: string): TypedLine {
  const draft = readDraft(key)
  return draft === undefined ? EMPTY_LINE : (JSON.parse(draft) as TypedLine)
}
