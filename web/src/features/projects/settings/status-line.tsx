import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { m } from '../../../messages/projects.ts'
import { IconButton } from '../../../ui/button.tsx'
import { useForm } from '../../../ui/form.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { stampOf } from '../../../ui/stamp.ts'
import { StatusMark } from '../../../ui/status-mark.tsx'
import { CATEGORIES, type Draft } from './status-edit.ts'

interface Props {
  draft: Draft
  at: number
  of: number
  /** Tasks that have it; undefined while that is not known. */
  count: number | undefined
  reason: string | undefined
  onChange: (patch: Partial<Draft>) => void
  onMove: (to: number) => void
  onRemove: () => void
}

/** One status while it is edited; moved by dragging its grip, by Alt and arrows, or by buttons. */
export function StatusLine({ draft, at, of, count, reason, onChange, onMove, onRemove }: Props) {
  const line = useRef<HTMLLIElement>(null)
  const { errorAt } = useForm()
  const { name, category } = draft
  const wrong = errorAt(`statuses[${at}].name`)
  const isUsed = (count ?? 0) > 0 && draft.key !== undefined
  const off = reason !== undefined
  const byKeys = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!event.altKey || step === undefined || off) return
    event.preventDefault()
    onMove(at + step)
  }
  return (
    <li ref={line} className="line status-line" onKeyDown={byKeys}>
      <span className="gut">{count !== undefined && m.statusCount(count)}</span>
      <div>
        <Grip name={name} line={line} at={at} off={off} onMove={onMove} />
        <StatusMark mark={stampOf([], draft.key ?? '', category)} />
        <input
          className="field"
          name={`statuses[${at}].name`}
          aria-label={m.nameOf(name)}
          aria-invalid={wrong !== undefined || undefined}
          value={name}
          maxLength={50}
          disabled={off}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <select
          className="field"
          aria-label={m.categoryOf(name)}
          title={isUsed ? m.inUse : undefined}
          value={category}
          disabled={off || isUsed}
          onChange={({ target }) => onChange({ category: asCategory(target.value, category) })}
        >
          {CATEGORIES.map((one) => (
            <option key={one} value={one}>
              {m.categories[one]}
            </option>
          ))}
        </select>
        <span className="moves">
          <IconButton
            icon="up"
            label={m.moveUp(name)}
            disabled={off || at === 0}
            onClick={() => onMove(at - 1)}
          />
          <IconButton
            icon="down"
            label={m.moveDown(name)}
            disabled={off || at === of - 1}
            onClick={() => onMove(at + 1)}
          />
          <IconButton
            icon="trash"
            label={m.removeStatus(name)}
            disabled={off || of === 1}
            onClick={onRemove}
          />
        </span>
        {wrong && <p className="error">{wrong}</p>}
      </div>
    </li>
  )
}

const asCategory = (value: string, otherwise: StatusCategory): StatusCategory =>
  CATEGORIES.find((one) => one === value) ?? otherwise

interface GripProps {
  name: string
  line: RefObject<HTMLLIElement | null>
  at: number
  off: boolean
  onMove: (to: number) => void
}

/** While it is held, the status goes to whatever line the pointer is over. */
function Grip({ name, line, at, off, onMove }: GripProps) {
  const held = useRef(false)
  const follow = ({ clientY }: PointerEvent) => {
    const list = line.current?.parentElement
    if (!held.current || !list) return
    const over = [...list.children].findIndex((one) => {
      const { top, bottom } = one.getBoundingClientRect()
      return clientY >= top && clientY < bottom
    })
    if (over >= 0 && over !== at) onMove(over)
  }
  return (
    <span
      className="grip"
      title={m.dragStatus(name)}
      onPointerDown={({ currentTarget, pointerId }) => {
        if (off) return
        held.current = true
        currentTarget.setPointerCapture(pointerId)
      }}
      onPointerMove={follow}
      onPointerUp={() => {
        held.current = false
      }}
      onPointerCancel={() => {
        held.current = false
      }}
    >
      <Icon name="grip" />
    </span>
  )
}
