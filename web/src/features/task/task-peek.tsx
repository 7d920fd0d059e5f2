import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { nameOf, useBoot } from '../../data/boot.ts'
import { useTaskNamed } from '../../data/one-task.ts'
import { listed } from '../../messages/plural.ts'
import { m } from '../../messages/task.ts'
import { Due } from '../../ui/due.tsx'
import { PriorityMark } from '../../ui/priority-mark.tsx'
import { ShortId } from '../../ui/short-id.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { TaskLink } from './task-link.tsx'

/** Who only passes over a number sees no card, ms. */
const REST_MS = 350
/** So long the pointer may be off both, on its way from one to the other, ms. */
const GRACE_MS = 150

interface Props {
  shortId: string
  onGo: (shortId: string) => void
}

/**
 * The number of another task within a text. Rested on, or reached by keys, it shows that task on a card: the card
 * stays while the pointer is on it, and `Esc` takes it away (WCAG 1.4.13).
 */
export function TaskPeek({ shortId, onGo }: Props) {
  const [shown, show] = useState(false)
  const id = useId()
  const anchor = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const turn = (to: boolean, ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => show(to), ms)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !shown) return
    event.stopPropagation()
    turn(false, 0)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is pressed is the link; this only notices where the pointer is
    <span
      ref={anchor}
      aria-describedby={shown ? id : undefined}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && turn(true, REST_MS)}
      onPointerLeave={() => turn(false, GRACE_MS)}
      onFocus={({ target }) => target.matches(':focus-visible') && turn(true, REST_MS)}
      onBlur={() => turn(false, 0)}
      onKeyDown={onKeyDown}
    >
      <TaskLink shortId={shortId} onGo={onGo}>
        {shortId}
      </TaskLink>
      {shown && (
        <Card id={id} anchor={anchor.current}>
          <Face shortId={shortId} />
        </Card>
      )}
    </span>
  )
}

/** Above everything, under what it belongs to, or over it where there is no room. */
function Card({
  id,
  anchor,
  children,
}: {
  id: string
  anchor: Element | null
  children: ReactNode
}) {
  const card = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const { current } = card
    if (!current || !anchor) return
    current.showPopover()
    const [at, own] = [anchor.getBoundingClientRect(), current.getBoundingClientRect()]
    const under = at.bottom + own.height <= innerHeight
    current.style.left = `${Math.max(8, Math.min(at.left, innerWidth - own.width - 8))}px`
    current.style.top = `${under ? at.bottom : at.top - own.height}px`
  }, [anchor])
  return (
    <span ref={card} id={id} role="tooltip" popover="manual" className="peek">
      {children}
    </span>
  )
}

function Face({ shortId }: { shortId: string }) {
  const boot = useBoot()
  const { task, error } = useTaskNamed(shortId)
  if (!task) return <span className="quiet">{error ? m.hidden : shortId}</span>
  const statuses = boot.projects.find(({ id }) => id === task.project_id)?.statuses ?? []
  const mark = stampOf(statuses, task.status, task.status_category)
  const status = statuses.find(({ key }) => key === task.status)?.name
  const finished = task.completed_at !== null || task.canceled_at !== null
  return (
    <>
      <span className="peek-head">
        <StatusMark mark={mark} />
        <span>
          <ShortId id={task.short_id} />
        </span>
        <span className="quiet">{status}</span>
        <PriorityMark priority={task.priority} />
      </span>
      <strong>{task.title}</strong>
      <span className="quiet">
        {listed(task.assignee_ids.map((id) => nameOf(boot, id)))}{' '}
        <Due date={task.due_date} at={task.due_at} finished={finished} />
      </span>
    </>
  )
}
