import { useState } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import { addTaskWithPlaceholder } from '../../../data/tasks/create-task.ts'
import { splitTitle } from '../../../lib/text/split-title.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { createPlaceholderTask } from '../../project-view/index.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'

/** A field for new subtasks: Enter creates one and stays open, pasted lines create one each. */
export function NewSubtaskLine() {
  const { task, project } = useOpenTask()
  const { session } = useBoot()
  const { write } = useBlockReasons()
  const [open, setOpen] = useState(false)
  const [title, setTitle] = useState('')
  const createSubtasks = (text: string) => {
    for (const line of text.split('\n')) {
      const trimmed = line.trim()
      if (trimmed === '' || !project) continue
      const body = { project_id: task.project_id, parent_id: task.id, ...splitTitle(trimmed) }
      addTaskWithPlaceholder(body, createPlaceholderTask(project, session.user.id, body))
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
            autoFocus
            aria-label={taskDetailMessages.newSubtask}
            placeholder={taskDetailMessages.newSubtask}
            value={title}
            onChange={({ target }) => setTitle(target.value)}
            onPaste={(event) => {
              const text = event.clipboardData.getData('text')
              if (!text.trim().includes('\n')) return
              event.preventDefault()
              createSubtasks(text)
            }}
            onBlur={() => {
              if (title.trim() === '') setOpen(false)
            }}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return
              if (event.key === 'Enter') {
                event.stopPropagation()
                createSubtasks(title)
                setTitle('')
              } else if (event.key === 'Escape') {
                event.stopPropagation()
                setTitle('')
                setOpen(false)
              }
            }}
          />
        ) : (
          <Button
            kind="plain"
            icon="plus"
            keys="shift+c"
            data-does="subtask"
            reason={write}
            onClick={() => setOpen(true)}
          >
            {taskDetailMessages.addSubtask}
          </Button>
        )}
      </div>
    </div>
  )
}
