import { useContext } from 'react'
import { number } from '../../../messages/plural.ts'
import { m } from '../../../messages/tasks.ts'
import { IconButton } from '../../../ui/button.tsx'
import { MenuButton } from '../../../ui/menu.tsx'
import { PriorityMark } from '../../../ui/priority-mark.tsx'
import { stampOf } from '../../../ui/stamp.ts'
import { StatusMark } from '../../../ui/status-mark.tsx'
import { useAdding } from '../adding.ts'
import type { Section } from '../layout.ts'
import { useScreen } from '../screen.ts'
import { ViewContext } from '../view.ts'
import { askLimit } from './limit.tsx'

export interface HeadProps {
  section: Section
  limit: number | undefined
  onFold: () => void
  onLimit: (limit: number | undefined) => void
  id: string
  /** Whether its slips are in lanes below: then it is low when it is folded, too. */
  low?: boolean
}

/** The head of a column: how many there are, more than its limit in words and amber. */
export function ColumnHead({ section, limit, onFold, onLimit, id, low = false }: HeadProps) {
  const { locked } = useScreen()
  const { begin } = useAdding()
  const { key, label, count, folded } = section
  const over = limit !== undefined && count > limit
  const counted = limit === undefined ? number(count) : m.countLimit(count, limit)
  return (
    <header>
      {!(folded && low) && <Mark of={key} />}
      <h2 id={id}>
        {folded ? (
          <button
            type="button"
            title={low ? label : undefined}
            aria-label={m.unfoldColumn(label)}
            onClick={onFold}
          >
            {low ? <Mark of={key} /> : label}
          </button>
        ) : (
          label
        )}
      </h2>
      {!(folded && low) && (
        <span className={over ? 'n over' : 'n'}>{folded ? number(count) : counted}</span>
      )}
      {!folded && (
        <>
          <MenuButton
            icon="dots"
            className="column-menu"
            label={m.columnMenu(label)}
            items={[
              {
                ...{ id: 'limit', label: m.setLimit, run: () => askLimit(label, limit, onLimit) },
                ...(limit !== undefined && { hint: number(limit) }),
              },
              { id: 'fold', label: m.foldColumn, run: onFold },
            ]}
          />
          <IconButton
            icon="plus"
            label={m.newTaskIn(label)}
            reason={locked}
            onClick={() => begin({ group: key })}
          />
        </>
      )}
    </header>
  )
}

function Mark({ of }: { of: string }) {
  const { project } = useScreen()
  const { group } = useContext(ViewContext)
  if (group === 'status') return <StatusMark mark={stampOf(project.statuses, of)} />
  return (
    <span className="st">
      <PriorityMark priority={of as Parameters<typeof PriorityMark>[0]['priority']} silent />
    </span>
  )
}
