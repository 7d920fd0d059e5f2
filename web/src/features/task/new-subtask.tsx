import { useState } from 'react'
import { useBoot } from '../../data/boot.ts'
import { rereadTask } from '../../data/one-task.ts'
import { addTask } from '../../data/task-create.ts'
import { m } from '../../messages/task.ts'
import { Button } from '../../ui/button.tsx'
import { placeholderOf } from '../tasks/new-task.ts'
import { useOpenTask } from './open-task.ts'
import { useRights } from './rights.ts'

/** A line for one more subtask: Enter makes it and stays, several pasted lines are as many. */
export function NewSubtask() {
  const { task, project } = useOpenTask()
  const { session } = useBoot()
  const { write } = useRights()
  const [open, setOpen] = useState(false)
  const [title, setTitle] = useState('')
  const make = (text: string) => {
    for (const line of text.split('\n')) {
      const clean = line.trim().slice(0, 500)
      if (clean === '' || !project) continue
      const body = { project_id: task.project_id, parent_id: task.id, title: clean }
      addTask(body, placeholderOf(project, session.user.id, body), () => rereadTask(task.id))
    }
    setTitle('')
  }
  return (
    <div className="line new-subtask">
      <span className="gut" />
      <div>
        {open ? (
          <input
            className="field"
            // biome-ignore lint/a11y/noAutofocus: it was asked for by a key or a button
            autoFocus
            aria-label={m.newSubtask}
            placeholder={m.newSubtask}
            value={title}
            onChange={({ target }) => setTitle(target.value)}
            onPaste={(event) => {
              const text = event.clipboardData.getData('text')
              if (!text.trim().includes('\n')) return
              event.preventDefault()
              make(text)
            }}
            onBlur={() => {
              if (title.trim() === '') setOpen(false)
            }}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return
              if (event.key === 'Enter') {
                event.stopPropagation()
                make(title)
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
            {m.addSubtask}
          </Button>
        )}
      </div>
    </div>
  )
}
