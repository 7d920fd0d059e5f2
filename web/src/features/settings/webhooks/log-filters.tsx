import { useId } from 'react'
import { EVENT_KINDS } from '#wire/events.ts'
import { m } from '../../../messages/webhooks.ts'

/** What of the log is asked for; empty is any. */
export interface Wanted {
  status: string
  event: string
}

export const EVENTS = [...EVENT_KINDS, 'webhook.test'] as const

interface Props {
  wanted: Wanted
  onChange: (wanted: Wanted) => void
}

/** Narrows the log by how deliveries ended and by what they tell. */
export function LogFilters({ wanted, onChange }: Props) {
  const id = useId()
  const choices = [
    {
      name: 'status',
      label: m.filterStatus,
      options: Object.entries(m.statuses),
    },
    { name: 'event', label: m.filterEvent, options: EVENTS.map((kind) => [kind, kind] as const) },
  ] as const
  return (
    <div className="line log-filters">
      <span className="gut" />
      <div className="acts">
        {choices.map(({ name, label, options }) => (
          <span key={name} className="narrowed">
            <label htmlFor={`${id}-${name}`}>{label}</label>
            <select
              id={`${id}-${name}`}
              className="field"
              value={wanted[name]}
              onChange={({ target }) => onChange({ ...wanted, [name]: target.value })}
            >
              <option value="">{m.any}</option>
              {options.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </span>
        ))}
      </div>
    </div>
  )
}
