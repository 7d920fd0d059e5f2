import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { IconButton } from '../../../ui/form/button.tsx'
import { useForm } from '../../../ui/form/form.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import { STATUS_CATEGORY_OPTIONS, type StatusDraft } from './status-drafts.ts'

interface StatusDraftRowProps {
  draft: StatusDraft
  at: number
  of: number
  /** The number of tasks with this status; undefined while loading. */
  count: number | undefined
  reason: string | undefined
  onChange: (patch: Partial<StatusDraft>) => void
  onMove: (to: number) => void
  onRemove: () => void
}

/**
 * Edits one status. It is moved by dragging its handle, by Alt and the arrow keys, or by buttons.
 */
export function StatusDraftRow({
  draft,
  at,
  of,
  count,
  reason,
  onChange,
  onMove,
  onRemove,
}: StatusDraftRowProps) {
  const row = useRef<HTMLLIElement>(null)
  const { errorAt } = useForm()
  const { name, category } = draft
  const nameError = errorAt(`statuses[${at}].name`)
  const isUsed = (count ?? 0) > 0 && draft.key !== undefined
  const off = reason !== undefined
  const handleKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!event.altKey || step === undefined || off) return
    event.preventDefault()
    onMove(at + step)
  }
  return (
    <li ref={row} className="line status-line" onKeyDown={handleKeyDown}>
      <span className="gut">{count !== undefined && projectMessages.statusCount(count)}</span>
      <div>
        <DragHandle name={name} row={row} at={at} off={off} onMove={onMove} />
        <StatusMark mark={getStatusMark([], draft.key ?? '', category)} />
        <input
          className="field"
          name={`statuses[${at}].name`}
          aria-label={projectMessages.nameOf(name)}
          aria-invalid={nameError !== undefined || undefined}
          value={name}
          maxLength={50}
          disabled={off}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <select
          className="field"
          aria-label={projectMessages.categoryOf(name)}
          title={isUsed ? projectMessages.inUse : undefined}
          value={category}
          disabled={off || isUsed}
          onChange={({ target }) => onChange({ category: parseCategory(target.value, category) })}
        >
          {STATUS_CATEGORY_OPTIONS.map((one) => (
            <option key={one} value={one}>
              {projectMessages.categories[one]}
            </option>
          ))}
        </select>
        <span className="moves">
          <IconButton
            icon="up"
            label={projectMessages.moveUp(name)}
            disabled={off || at === 0}
            onClick={() => onMove(at - 1)}
          />
          <IconButton
            icon="down"
            label={projectMessages.moveDown(name)}
            disabled={off || at === of - 1}
            onClick={() => onMove(at + 1)}
          />
          <IconButton
            icon="trash"
            label={projectMessages.removeStatus(name)}
            disabled={off || of === 1}
            onClick={onRemove}
          />
        </span>
        {nameError && <p className="error">{nameError}</p>}
      </div>
    </li>
  )
}

const parseCategory = (value: string, fallback: StatusCategory): StatusCategory =>
  STATUS_CATEGORY_OPTIONS.find((one) => one === value) ?? fallback

interface DragHandleProps {
  name: string
  row: RefObject<HTMLLIElement | null>
  at: number
  off: boolean
  onMove: (to: number) => void
}

/** While it is dragged, the status moves to the row under the pointer. */
function DragHandle({ name, row, at, off, onMove }: DragHandleProps) {
  const isDragging = useRef(false)
  const handlePointerMove = ({ clientY }: PointerEvent) => {
    const list = row.current?.parentElement
    if (!isDragging.current || !list) return
    const over = [...list.children].findIndex((one) => {
      const { top, bottom } = one.getBoundingClientRect()
      return clientY >= top && clientY < bottom
    })
    if (over >= 0 && over !== at) onMove(over)
  }
  return (
    <span
      className="grip"
      title={projectMessages.dragStatus(name)}
      onPointerDown={({ currentTarget, pointerId }) => {
        if (off) return
        isDragging.current = true
        currentTarget.setPointerCapture(pointerId)
      }}
      onPointerMove={handlePointerMove}
      onPointerUp={() => {
        isDragging.current = false
      }}
      onPointerCancel={() => {
        isDragging.current = false
      }}
    >
      <Icon name="grip" />
    </span>
  )
}
