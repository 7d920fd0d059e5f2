import { useId } from 'react'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { webhookMessages } from '../../../../messages/settings/webhooks.ts'

/** The values of the filters; an empty one matches everything. */
export interface DeliveryFilterValues {
  status: string
  event: string
}

export const DELIVERY_EVENT_TYPES = [...EVENT_KINDS, 'webhook.test'] as const

interface DeliveryFilterBarProps {
  values: DeliveryFilterValues
  onChange: (values: DeliveryFilterValues) => void
}

/** Filters the log by the status and the event type of deliveries. */
export function DeliveryFilterBar({ values, onChange }: DeliveryFilterBarProps) {
  const id = useId()
  const choices = [
    {
      name: 'status',
      label: webhookMessages.filterStatus,
      options: Object.entries(webhookMessages.statuses),
    },
    {
      name: 'event',
      label: webhookMessages.filterEvent,
      options: DELIVERY_EVENT_TYPES.map((kind) => [kind, kind] as const),
    },
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
              value={values[name]}
              onChange={({ target }) => onChange({ ...values, [name]: target.value })}
            >
              <option value="">{webhookMessages.any}</option>
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
