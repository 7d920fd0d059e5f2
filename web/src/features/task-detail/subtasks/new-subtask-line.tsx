import { useLocation } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { fitTitle } from '#lib/fit-title.ts'
import { useViewerId } from '../../../data/session/boot.ts'
import { addTaskWithPlaceholder } from '../../../data/tasks/create-task.ts'
import { getCompletedStatus } from '../../../data/tasks/task-patch.ts'
import { NEW_SUBTASK_HASH } from '../../../data/tasks/task-path.ts'
import { readDraft } from '../../../lib/state/drafts.ts'
import { type PastedLine, parsePastedLines } from '../../../lib/text/pasted-lines.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { focusIfLost } from '../../../ui/keyboard/focus-if-lost.ts'
import { useDraft } from '../../../ui/markdown/use-draft.ts'
import { createPlaceholderTask } from '../../project-view/index.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'

/** A field for new subtasks: Enter creates one and stays open, pasted lines create one each. */
export function NewSubtaskLine() {
  const { task, project } = useOpenTask()
  const me = useViewerId()
  const { write } = useBlockReasons()
  const key = `subtask.${task.id}`
  const isRequested = useLocation({ select: ({ hash }) => hash === NEW_SUBTASK_HASH })
  const [open, setOpen] = useState<'draft' | 'pressed' | undefined>(() => {
    if (write !== undefined) return undefined
    if (isRequested) return 'pressed'
    return readDraft(key) === undefined ? undefined : 'draft'
  })
  const { text: title, setText: setTitle, drop } = useDraft(key, '')
  const button = useRef<HTMLButtonElement>(null)
  const createSubtasks = (lines: readonly PastedLine[]) => {
    const doneStatus = getCompletedStatus(project)
    for (const { text, isDone } of lines) {
      const fields = fitTitle(text)
      if (fields.title === '' || !project) continue
      const status = isDone && doneStatus && { status: doneStatus }
      const body = { project_id: task.project_id, parent_id: task.id, ...fields, ...status }
      addTaskWithPlaceholder(body, createPlaceholderTask(project, me, body))
    }
  }
  return (
    <div className="line new-subtask">
      <span className="gut" />
      <div>
        {open ? (
          <input
            className="field"
            // biome-ignore lint/a11y/noAutofocus: the user opened it by a shortcut or a button
            autoFocus={open === 'pressed'}
            aria-label={taskDetailMessages.newSubtask}
            placeholder={taskDetailMessages.newSubtask}
            value={title}
            onChange={({ target }) => setTitle(target.value)}
            onPaste={(event) => {
              const lines = parsePastedLines(event.clipboardData.getData('text'))
              if (lines.length < 2) return
              event.preventDefault()
              createSubtasks(lines)
            }}
            onBlur={() => {
              if (title.trim() === '') setOpen(undefined)
            }}
            onKeyDown={(event) => {
              const isEnter = event.key === 'Enter'
              if (!isEnter && event.key !== 'Escape') return
              event.stopPropagation()
              drop()
              if (isEnter) createSubtasks([{ text: title, isDone: false }])
              else {
                setOpen(undefined)
                focusIfLost(() => button.current)
              }
            }}
          />
        ) : (
          <Button
            ref={button}
            kind="plain"
            icon="plus"
            keys="shift+c"
            data-does="subtask"
            reason={write}
            onClick={() => setOpen('pressed')}
          >
            {taskDetailMessages.addSubtask}
          </Button>
        )}
      </div>
    </div>
  )
}
