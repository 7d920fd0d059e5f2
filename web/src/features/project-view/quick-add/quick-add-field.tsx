import { type KeyboardEvent, useContext, useEffect, useLayoutEffect, useRef } from 'react'
import type { TypedValue } from '#lib/typed-sentence.ts'
import { deleteDraft, readDraft, saveDraft } from '../../../lib/state/drafts.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import { patchIntoGroup } from '../grouping/task-groups.ts'
import { type BufferedInputProps, joinLines } from '../lazy/lazy-field.tsx'
import { type ProjectWithoutCounts, useProjectPageContext } from '../project-page-context.ts'
import { ProjectViewContext } from '../project-view.ts'
import { notifyIfFilteredOut } from './create-typed-task.ts'
import { type NewTaskTarget, useQuickAdd } from './quick-add-context.ts'
import { TaskLineField, useTaskLine } from './task-line.tsx'
import { EMPTY_LINE, type TypedLine } from './use-typed-line.ts'
import { ValueButtons } from './value-buttons.tsx'

interface QuickAddFieldProps extends BufferedInputProps {
  label: string
  place: NewTaskTarget
  project: ProjectWithoutCounts
}

/**
 * The input for new tasks: Enter creates one and keeps the input open, Esc discards what is typed and
 * closes it. Until then the text is a draft of the project, wherever the input is shown next.
 */
export function QuickAddField({
  label,
  place,
  project,
  bufferedLines,
  bufferedPaste,
}: QuickAddFieldProps) {
  const context = useProjectPageContext()
  const view = useContext(ProjectViewContext)
  const { begin, end, place: requested } = useQuickAdd()
  const input = useRef<HTMLInputElement>(null)
  // The field that this one replaces was shown, and the person may have scrolled away from it since.
  const mayBeScrolledAway = useRef(bufferedLines.length > 0)
  // Also when it is asked for again: it may be out of sight, and keys would then change tasks.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request is another object
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: mayBeScrolledAway.current })
    mayBeScrolledAway.current = false
  }, [requested])
  const target = {
    project,
    me: context.me,
    fields: patchIntoGroup(view, place.group, context.filterContext.today),
    parent: place.parent,
  }
  const draftKey = `task.${project.id}`
  const taskLine = useTaskLine(target, () => {
    const draft = readTaskDraft(draftKey)
    // The buffered text is there from the first render, so that further typing continues it.
    return { ...draft, text: [draft.text, bufferedLines.at(-1)].filter(Boolean).join(' ') }
  })
  const { line } = taskLine
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
  const submit = (text: string, more: readonly TypedValue[]) => {
    const task = taskLine.create(text, more)
    if (task) void notifyIfFilteredOut(context, view, task)
    return task !== undefined
  }
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') {
      if (submit(line.text, line.chips)) taskLine.clear()
    } else if (event.key === 'Escape') cancel()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  /** The line goes on in the group of another project; a subtask is in that of its parent. */
  const pickProject = (id: string) => {
    if (!isEmpty) saveDraft(`task.${id}`, JSON.stringify(line))
    deleteDraft(draftKey)
    begin({ group: id })
  }
  const hasProjectChoice = view.group === 'project' && !place.parent && !context.project
  /** Whether a dialog or picker has the focus, after which this field may get a title. */
  const isAsking = useRef(false)
  const confirmPaste = (pasted: string): boolean => {
    isAsking.current = taskLine.confirmPaste(pasted)
    return isAsking.current
  }
  // What was entered and pasted before this field was loaded takes effect now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on mount
  useEffect(() => {
    for (const text of bufferedLines.slice(0, -1)) submit(text, [])
    if (bufferedPaste === '' || confirmPaste(bufferedPaste)) return
    taskLine.change(`${line.text}${joinLines(bufferedPaste)}`)
  }, [])
  return (
    <>
      <TaskLineField
        line={taskLine}
        ref={input}
        aria-label={label}
        placeholder={projectViewMessages.newHint}
        onKeyDown={handleKeyDown}
        onPaste={confirmPaste}
        onFocus={() => {
          isAsking.current = false
        }}
        onLeave={() => !isAsking.current && isEmpty && end()}
      />
      {line.text !== '' && <kbd>{quickAddMessages.enter}</kbd>}
      <ValueButtons
        line={taskLine}
        field={input}
        onOpen={() => {
          isAsking.current = true
        }}
        {...(hasProjectChoice && {
          project: {
            id: project.id,
            choices: [...context.projects.values()].filter(({ status }) => status === 'active'),
            onPick: pickProject,
          },
        })}
      />
    </>
  )
}

/** The line that was begun last in a project. */
function readTaskDraft(key: string): TypedLine {
  const draft = readDraft(key)
  return draft === undefined ? EMPTY_LINE : (JSON.parse(draft) as TypedLine)
}
