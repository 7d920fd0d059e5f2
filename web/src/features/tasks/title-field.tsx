import { type KeyboardEvent, useRef } from 'react'
import type { Task } from '../../data/task-view.ts'
import { changeTask } from '../../data/task-writes.ts'
import { m } from '../../messages/tasks.ts'
import { useScreen } from './screen.ts'

const MOST = 500

/** A title in place of which one types: Enter and leaving keep it, Esc does not. */
export function TitleField({ task }: { task: Task }) {
  const { marks } = useScreen()
  const began = useRef(task)
  const kept = useRef(true)
  const finish = (typed: string) => {
    const title = typed.trim()
    if (kept.current && title !== '' && title !== began.current.title) {
      changeTask(task.id, { title }, { label: m.renamed(task.short_id), from: began.current })
    }
    marks.edit(undefined)
  }
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    if (event.nativeEvent.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    kept.current = event.key === 'Enter'
    event.currentTarget.blur()
  }
  return (
    <input
      className="title edit"
      // biome-ignore lint/a11y/noAutofocus: the person asked to type here
      autoFocus
      aria-label={m.titleOf(task.short_id)}
      // A task that opens beside it leaves the focus here.
      data-peek
      defaultValue={task.title}
      maxLength={MOST}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={press}
    />
  )
}
