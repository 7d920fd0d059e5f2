import { type KeyboardEvent, useEffect, useRef } from 'react'
import { changeTitle } from '../../../data/tasks/change-title.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'

/** Edits a title in place: Enter and leaving the field or its screen save it, Esc discards it. */
export function TitleField({ task, onEnd }: { task: Task; onEnd: () => void }) {
  const original = useRef(task)
  const shouldSave = useRef(true)
  const input = useRef<HTMLInputElement>(null)
  const save = (typed: string) => {
    if (shouldSave.current) changeTitle(original.current, typed)
    shouldSave.current = false
  }
  // Going back takes the field away without a blur.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on unmount
  useEffect(() => {
    const field = input.current
    return () => {
      if (field) save(field.value)
    }
  }, [])
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    shouldSave.current = event.key === 'Enter'
    event.currentTarget.blur()
  }
  return (
    <input
      ref={input}
      className="title edit"
      // biome-ignore lint/a11y/noAutofocus: the person asked to type here
      autoFocus
      aria-label={projectViewMessages.titleOf(task.short_id)}
      // A task that opens in the panel meanwhile does not take the focus from here.
      data-peek
      defaultValue={task.title}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => {
        save(event.currentTarget.value)
        onEnd()
      }}
      onKeyDown={handleKeyDown}
    />
  )
}
